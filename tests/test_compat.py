"""The matrix judges what it is shown, and its page says nothing that was not tried."""

import pytest

from compat._matrix import ADAPTERS, CLIENTS, SERVERS
from compat._proxied import _judged
from tests.pages import DOCS

SHOP = SERVERS[0]
RIGHT, TOLD = '{"id": "W1"}', '{"id": "W1"} {"outcome_contract": {}}'


@pytest.mark.parametrize(
    ("shown", "outcome"),
    [
        ([RIGHT, RIGHT, TOLD], "passed"),
        ([RIGHT, RIGHT, RIGHT], "failed: no receipt is shown"),
        ([RIGHT, TOLD, TOLD], "failed: a right result is not what it is without the proxy"),
        ([RIGHT, RIGHT, '{"outcome_contract": {}}'], "failed: the result is not the server's"),
        ([TOLD, TOLD, TOLD], "failed: the result is not the server's"),
    ],
)
def test_a_pair_is_judged_by_what_the_client_shows(shown, outcome):
    assert _judged(SHOP, shown) == outcome


def rows(part):
    text = (DOCS / "compatibility.md").read_text(encoding="utf-8")
    inside = text.partition(f"<!-- {part}: begin -->\n")[2].partition(f"<!-- {part}: end -->")[0]
    return [line.strip("| ").split(" | ") for line in inside.splitlines() if line.startswith("| ")][2:]


def test_the_page_has_every_adapter_and_its_outcome():
    assert [row[0] for row in rows("adapters")] == list(ADAPTERS)
    assert all(row[-1].startswith(("passed", "failed", "not run")) for row in rows("adapters"))


def test_the_page_has_every_client_and_every_server():
    found = rows("proxy")
    for row, client in zip(found, CLIENTS, strict=True):
        assert row[0].startswith(client.name)
        assert len(row) == 1 + len(SERVERS)
        assert all(cell.startswith(("passed", "failed", "not run")) for cell in row[1:])
