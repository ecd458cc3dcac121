import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Clause, Monitor, Registry
from outcome_monitors.contracts.sources import Report
from outcome_monitors.contracts.sources.database import from_records, read_database
from outcome_monitors.exceptions import SourceError
from outcome_monitors.rules import explain
from tests.strategies import json_values

Order = dict[str, Any]
STATUSES = ("open", "paid", "shipped", "cancelled")


def shop(count: int = 60) -> list[Order]:
    """Return orders whose payments less refunds are the total of their lines, but for those that were cancelled."""
    rng = random.Random(1)
    return [_order(number, rng) for number in range(count)]


def _order(number: int, rng: random.Random) -> Order:
    cents = [rng.randint(100, 9999) for _ in range(rng.randint(1, 4))]
    status = rng.choice(STATUSES)
    given_back = sum(cents) if status == "cancelled" else 0
    rows = [("payment", sum(cents)), ("refund", given_back)] if given_back else [("payment", sum(cents))]
    return {
        "id": f"O{1000 + number}",
        "status": status,
        "zip": str(rng.choice([10083, 60625, 80281])),
        "customer": {"name": rng.choice(["Ann Lee", "Bo Ek"]), "user_id": rng.choice(["ann", "bo"])},
        "lines": [{"sku": f"S{rng.randint(1, 999)}", "price": cent / 100} for cent in cents],
        "payments": [{"kind": kind, "amount": cent / 100} for kind, cent in rows],
    }


def clauses(report: Report, kind: str = "") -> tuple[Clause, ...]:
    return tuple(c for contract in report.accepted for c in contract.clauses if kind in ("", c.kind))


def found(records: Any, kind: str = "") -> list[str]:
    return [explain(clause) for clause in clauses(from_records(records, "get_order", "shop"), kind)]


def alarms(report: Report, result: Any) -> list[str]:
    registry = Registry({contract.tool: contract for contract in report.accepted})
    monitor = Monitor(registry, built_in=False)
    violations = monitor.check("get_order", {}, result)
    assert monitor.counts.failed == 0
    return [violation.code for violation in violations]


NET = "net payments[].amount (payment +, refund -) equals the sum of lines[].price where status is open, paid or shipped"


def test_signs_and_guard_are_found() -> None:
    assert found(shop()) == [
        "lines[].price is above zero",
        "payments[].amount is above zero",
        "payments[].kind is one of payment, refund",
        "status is one of cancelled, open, paid, shipped",
        NET,
    ]


def test_no_record_of_the_table_is_flagged_and_a_cent_is() -> None:
    orders = shop(400)
    report = from_records(orders, "get_order", "shop")
    for order in orders:
        assert alarms(report, order) == []
        wrong = copy.deepcopy(order)
        wrong["lines"][0]["price"] = round(wrong["lines"][0]["price"] + 0.01, 2)
        judged = order["status"] != "cancelled"
        assert alarms(report, wrong) == (["conservation_broken"] if judged else [])
    assert any(sum(p["price"] for p in o["lines"]) != o["payments"][0]["amount"] for o in orders)
    assert alarms(report, {**orders[0], "status": "lost", "lines": []}) == ["unseen_category"]


@pytest.mark.parametrize(
    ("values", "name", "accepted"),
    [
        ("ab" * 20, "wrapping", True),
        ("ab" * 9, "status", False),  # few records
        ("ab" * 20 + "cc", "status", False),  # a value in two records
        ("ab" * 20 + "ccc", "status", True),
        ("abcdefgh" * 10, "wrapping", True),
        ("abcdefghi" * 10, "status", False),  # nine values
        ("12" * 20, "level", True),
        ("ab" * 20, "first_name", False),
        ("ab" * 20, "customerId", False),
    ],
)
def test_when_a_list_of_texts_is_closed(values: str, name: str, accepted: bool) -> None:
    table = [{"n": number, name: value} for number, value in enumerate(values)]
    assert bool(found(table, "domain")) is accepted


def test_a_json_file_is_the_table_that_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "shop.json"
    path.write_text(json.dumps({order["id"]: order for order in shop()}))
    report = read_database(path, "get_order")
    assert [explain(clause) for clause in clauses(report)] == found(shop())
    assert {clause.source for clause in clauses(report)} == {"database:shop.json"}
    assert report.source == "shop.json"


def test_random_tables_have_no_relations() -> None:
    for largest in (1, 2, 9, 1000):
        rng = random.Random(largest)
        rows = [{name: rng.randint(0, largest) for name in ("total", "paid", "fee")} for _ in range(120)]
        lines = [{**row, "lines": [{"amount": rng.randint(0, largest)} for _ in range(3)]} for row in rows]
        assert not found(lines, "conservation")


@pytest.mark.parametrize(
    ("content", "error"),
    [("3", "holds integer, not a list"), ("[]", "holds no records"), ("[{}, 1]", "record '1' is integer")],
)
def test_a_bad_file_is_named_with_its_fault(tmp_path: Path, content: str, error: str) -> None:
    path = tmp_path / "t.json"
    path.write_text(content)
    with pytest.raises(SourceError, match=error) as caught:
        read_database(path, "t")
    assert str(path) in str(caught.value)


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["a", "b", "status", "rows"]), json_values, max_size=4), max_size=30
    )
)
@settings(max_examples=50, deadline=None)
def test_any_records_can_be_read_and_none_of_them_breaks_what_they_give(records: list[Order]) -> None:
    if not records:
        with pytest.raises(SourceError):
            from_records(records, "get_order", "t")
        return
    report = from_records(records, "get_order", "t")
    assert not any(alarms(report, record) for record in records)
