"""A value and its canonical form get the same verdict, whatever form the contract was learned from."""

import dataclasses
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.jsonvalue.canonical import canonical


@dataclasses.dataclass
class Order:
    order_id: str
    status: str
    total: Any
    items: Any


class Measure(float):
    """As numpy's float64 is one."""


def order(n, **changes):
    found = {
        "order_id": f"W{n:04}",
        "status": ("sent", "held")[n % 2],
        "total": 10.5 + n,
        "items": [n, n + 1],
    }
    return {**found, **changes}


FORMS: dict[str, Callable[[Any], Any]] = {
    "object": lambda value: value,
    "text": json.dumps,
    "wide text": lambda value: json.dumps(value, indent=2),
    "printed": repr,
    "decimals": lambda value: {**value, "total": Decimal(str(value["total"]))},
    "subclasses": lambda value: {**value, "total": Measure(value["total"])},
    "tuples": lambda value: {**value, "items": tuple(value["items"])},
    "dataclass": lambda value: Order(**value),
    "block": lambda value: [{"type": "text", "text": json.dumps(value)}],
    "mcp": lambda value: {
        "content": [{"type": "text", "text": "see there"}],
        "structuredContent": value,
        "isError": False,
    },
    "alone": lambda value: json.dumps({"result": value}),
}
LEARNED: dict[str, Callable[[Any], Any]] = {
    "object": lambda value: value,
    "text": json.dumps,
    "alone": lambda value: {"result": value},
    "block": lambda value: [{"type": "text", "text": json.dumps(value)}],
}


def learned(form, results=order):
    calls = [
        Call("get_order", {"order_id": f"W{n:04}"}, form(results(n)), task=f"t{n}", session=f"s{n}")
        for n in range(60)
    ]
    return Registry.loads(mine(calls, "full").dumps())


@pytest.fixture(scope="module")
def registries():
    return {name: learned(form) for name, form in LEARNED.items()}


WRONG: list[dict[str, Any]] = [{"total": -3.5}, {"status": "lost"}, {"order_id": "W0009"}, {"items": []}]


@pytest.mark.parametrize("contract", ["object", "text"])
@pytest.mark.parametrize("form", [name for name in FORMS if name != "alone"])
def test_every_form_gets_the_verdict_of_every_other(registries, contract, form):
    monitor = Monitor(registries[contract])
    arguments = {"order_id": "W0007"}

    def given(**changes):
        """Return what adapters and the proxy hand over; a monitor itself reads all but texts."""
        value = FORMS[form](order(7, **changes))
        return canonical(value) if isinstance(value, str) else value

    assert monitor.check("get_order", arguments, given()) == ()
    for changes in WRONG:
        plain = monitor.check("get_order", arguments, LEARNED[contract](order(7, **changes)))
        assert plain
        assert monitor.check("get_order", arguments, given(**changes)) == plain
    assert monitor.counts.failed == 0


@pytest.mark.parametrize("contract", ["object", "alone"])
def test_what_an_sdk_puts_around_a_result(registries, contract):
    monitor = Monitor(registries[contract])
    rows = Monitor(learned(lambda value: LEARNED[contract]([value])))
    for form in (LEARNED["object"], LEARNED["alone"]):
        assert monitor.check("get_order", {"order_id": "W0007"}, form(order(7))) == () or contract == "alone"
        assert rows.check("get_order", {"order_id": "W0007"}, form([order(7)])) == ()
        assert rows.check("get_order", {"order_id": "W0007"}, form([order(7, status="lost")])) != ()


@pytest.mark.parametrize(
    "text", [json.dumps(order(7))[:40], "<html>Bad Gateway</html>", "Traceback (most recent call last):"]
)
def test_half_of_it_a_page_and_a_stack_trace_break_every_contract(registries, text):
    monitors = [Monitor(registry) for registry in registries.values()]
    assert all(monitor.check("get_order", {"order_id": "W0007"}, text) for monitor in monitors)
    assert len(monitors) == len(LEARNED)


def listed(n, **changes):
    return [{**order(n + k, **changes), "items": n + k} for k in range(3)]


def as_csv(rows):
    return "\n".join(",".join(map(str, line)) for line in (rows[0], *(row.values() for row in rows)))


def as_markdown(rows):
    lines = [[*rows[0]], ["---"] * len(rows[0]), *(row.values() for row in rows)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


@pytest.mark.parametrize("contract", ["object", "text"])
@pytest.mark.parametrize("form", [as_csv, as_markdown])
def test_a_table_gets_the_verdict_of_its_rows(contract, form):
    monitor = Monitor(learned(LEARNED[contract], listed))
    assert monitor.check("get_order", {}, canonical(form(listed(70)))) == ()
    for changes in ({"total": -3.5}, {"status": "lost"}, {"order_id": "?"}):
        plain = monitor.check("get_order", {}, LEARNED[contract](listed(70, **changes)))
        assert plain
        assert monitor.check("get_order", {}, canonical(form(listed(70, **changes)))) == plain


def test_in_traces_a_text_in_the_place_of_an_object_is_a_fault(registries):
    text = json.dumps(order(7))
    found = Monitor(registries["object"]).check("get_order", {"order_id": "W0007"}, text)
    assert [violation.code for violation in found] == ["learned_type_mismatch"]
