"""The words of a name."""

import pytest

from outcome_monitors.jsonvalue.text import last_word, words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("order_id", ("order", "id")),
        ("order-id", ("order", "id")),
        ("orderId", ("order", "id")),
        ("OrderID", ("order", "id")),
        ("HTTPStatus", ("http", "status")),
        ("list orders", ("list", "orders")),
        ("ISO4217Code", ("iso", "4217", "code")),
        ("", ()),
        ("__", ()),
    ],
)
def test_names_are_taken_apart_however_they_are_written(name, expected):
    assert words(name) == expected
    assert last_word(name) == (expected[-1] if expected else "")
