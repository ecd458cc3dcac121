"""A result gets one verdict in whatever form it comes, learned from whatever form: library, adapters, proxy and importers."""

import dataclasses
import enum
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pydantic
import pytest

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.adapters.functions import watched
from outcome_monitors.contracts.sources import from_mcp_tools
from outcome_monitors.events import Watch
from outcome_monitors.jsonvalue.canonical import canonical
from outcome_monitors.mcp.session import result_of
from outcome_monitors.traces.importers import import_traces

Shown = Callable[[dict[str, Any]], Any]


class State(enum.Enum):
    SENT = "sent"
    HELD = "held"


class Model(pydantic.BaseModel):
    order_id: str
    status: State | str
    total: float
    at: datetime
    note: str | None
    items: list[int]


@dataclasses.dataclass
class Order:
    order_id: str
    status: Any
    total: Any
    at: Any
    note: Any
    items: Any


class Measure(float):
    """As numpy's float64 is one."""


def order(n, **changes):
    found = {
        "order_id": f"W{n * 7919 % 10**4:04}",
        "status": ("sent", "held")[n % 2],
        "total": 10.5 + n % 90,
        "at": f"2026-03-{n % 28 + 1:02}T10:{n % 60:02}:00Z",
        "note": None if n % 3 else "ring twice",
        "items": [n % 9 + 1, n % 9 + 2],
    }
    return {**found, **changes}


def typed(value):
    """Return the record as a program holds it."""
    status = State(value["status"]) if value["status"] in ("sent", "held") else value["status"]
    return {**value, "status": status, "at": datetime.fromisoformat(value["at"]).astimezone(UTC)}


def model(value):
    return Model.model_construct(**typed(value))


def in_blocks(value):
    return [{"type": "text", "text": json.dumps(value)}]


FORMS: dict[str, Shown] = {
    "object": lambda value: value,
    "JSON": json.dumps,
    "JSON over lines": lambda value: json.dumps(value, indent=2),
    "offset": lambda value: json.dumps({**value, "at": value["at"].replace("Z", "+00:00")}),
    "Python": lambda value: repr(typed(value)),
    "typed": lambda value: {
        **typed(value),
        "total": Decimal(str(value["total"])),
        "items": (*value["items"],),
    },
    "dataclass": lambda value: Order(**{**typed(value), "total": Measure(value["total"])}),
    "model": model,
    "printed model": lambda value: str(model(value)),
    "printed class": lambda value: repr(model(value)),
    "blocks": in_blocks,
    "MCP": lambda value: {"content": in_blocks(value), "structuredContent": value, "isError": False},
    "SDK": lambda value: {
        "content": in_blocks(value),
        "structuredContent": {"result": value},
        "isError": False,
    },
    "structured alone": lambda value: {"result": value},
    "message": lambda value: {"type": "tool", "tool_call_id": "c1", "content": json.dumps(value)},
}
FAULTS: list[dict[str, Any]] = [
    {"total": -3.5},
    {"status": "lost"},
    {"order_id": "W-17"},
    {"items": [3, 3]},
    {"at": "1926-03-01T10:00:00Z"},
]
CLEAN, WRONG = 20, 5
"""Of each pair of forms; over all that a contract is checked with, 300 and 75."""


def learned(form, results=order):
    calls = (Call("get_order", {"n": n}, form(results(n)), task=f"t{n}") for n in range(100))
    return Registry.loads(mine(calls).dumps())


@pytest.fixture(scope="module")
def monitors():
    return {name: Monitor(learned(form), built_in=False) for name, form in FORMS.items()}


def violates(monitor, result, number):
    return bool(monitor.check("get_order", {"n": number}, result))


def same_verdict(says):
    """Hold what is said of right and wrong results; `says` takes a result as a program has it, and its number."""
    flagged = [n for n in range(300, 300 + CLEAN) if says(order(n), n)]
    missed = [(n, fault) for n, fault in enumerate(FAULTS[:WRONG], 300) if not says(order(n, **fault), n)]
    assert (flagged, missed) == ([], [])


@pytest.mark.parametrize("checked", FORMS)
@pytest.mark.parametrize("contract", FORMS)
def test_every_form_gets_the_verdict_of_every_other(monitors, contract, checked):
    monitor = monitors[contract]
    same_verdict(lambda value, n: violates(monitor, FORMS[checked](value), n))
    assert monitor.counts.failed == 0


@pytest.mark.parametrize("checked", FORMS)
def test_what_adapters_hand_over(monitors, checked):
    def says(value, number):
        def get_order(n):
            return FORMS[checked](value)

        told = []
        watch = Watch(monitors["object"], mode="advise")
        watched(watch, tell=lambda *found: told.append(found))(get_order)(number)
        return told

    same_verdict(says)


@pytest.mark.parametrize("structured", [None, {}, "alone"])
@pytest.mark.parametrize("text", ["JSON", "offset", "printed model", "Python"])
def test_what_the_proxy_reads(monitors, text, structured):
    def says(value, number):
        answer: dict[str, Any] = {"content": [{"type": "text", "text": FORMS[text](value)}]}
        if structured is not None:
            answer["structuredContent"] = {"result": value} if structured else value
        return violates(monitors["object"], result_of({"result": answer}).value, number)

    same_verdict(says)


def as_chat(number, text):
    """Return a turn of a chat as it is logged: the call, and what the tool said."""
    asked = {"id": f"c{number}", "function": {"name": "get_order", "arguments": json.dumps({"n": number})}}
    said = {"role": "tool", "tool_call_id": f"c{number}", "content": text}
    return [{"messages": [{"role": "assistant", "tool_calls": [{**asked, "type": "function"}]}, said]}]


def as_messages(number, text):
    """Return the two messages of MCP's wire."""
    call = {"method": "tools/call", "params": {"name": "get_order", "arguments": {"n": number}}}
    result = {"content": [{"type": "text", "text": text}], "isError": False}
    return [{"jsonrpc": "2.0", "id": number, **call}, {"jsonrpc": "2.0", "id": number, "result": result}]


@pytest.mark.parametrize("written", [as_chat, as_messages])
@pytest.mark.parametrize("text", ["JSON", "offset", "Python", "printed model"])
def test_what_importers_read(tmp_path, monitors, written, text):
    def imported(values):
        path = tmp_path / "log.jsonl"
        records = (record for n, value in values for record in written(n, FORMS[text](value)))
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return list(import_traces([path], "auto"))

    calls = imported((n, order(n)) for n in range(100))
    monitor = Monitor(mine(replace(call, task=f"t{n}") for n, call in enumerate(calls)), built_in=False)
    same_verdict(lambda value, n: violates(monitor, FORMS["typed"](value), n))
    same_verdict(lambda value, n: violates(monitors["object"], imported([(n, value)])[0].result, n))


SCHEMAS = {
    "string": "said so",
    "integer": 3,
    "number": 2.5,
    "boolean": True,
    "null": None,
    "array": ["a", "b"],
    "object": {"a": 1},
}


@pytest.mark.parametrize("optional", [False, True])
@pytest.mark.parametrize("kind", SCHEMAS)
def test_what_an_sdk_declares_and_puts_around_a_result(kind, optional):
    value = {"type": kind} if not optional else {"anyOf": [{"type": kind}, {"type": "null"}]}
    schema = {"type": "object", "properties": {"result": value}, "required": ["result"]}
    report = from_mcp_tools({"tools": [{"name": "get", "outputSchema": schema}]}, "tools.json")
    monitor = Monitor(Registry({contract.tool: contract for contract in report.accepted}), built_in=False)
    for thing in (SCHEMAS[kind], *([None] if optional else [])):
        texts = [thing if isinstance(thing, str) else json.dumps(thing), repr(thing)]
        items = thing if isinstance(thing, list) else [] if thing is None else [thing]
        blocks = [{"type": "text", "text": one if isinstance(one, str) else json.dumps(one)} for one in items]
        content = {"content": blocks, "structuredContent": {"result": thing}, "isError": False}
        for result in (thing, {"result": thing}, *texts, content, canonical(content)):
            assert monitor.check("get", {}, result) == (), result
    wrong = {"array": 5, "object": [5]}.get(kind, {"a": 1} if kind not in ("string", "null") else None)
    assert bool(monitor.check("get", {}, wrong)) is (kind not in ("string", "null", "array"))


@pytest.mark.parametrize(
    "text", [json.dumps(order(7))[:40], "<html>Bad Gateway</html>", "Traceback (most recent call last):"]
)
def test_half_of_it_a_page_and_a_stack_trace_break_every_contract(monitors, text):
    assert all(violates(monitor, text, 7) for monitor in monitors.values())


def listed(n, **changes):
    return [{**order(n + k, **changes), "note": f"n{k}", "items": n + k} for k in range(3)]


def as_csv(rows):
    return "\n".join(",".join(map(str, line)) for line in (rows[0], *(row.values() for row in rows)))


def as_markdown(rows):
    lines = [[*rows[0]], ["---"] * len(rows[0]), *(row.values() for row in rows)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def as_frame(rows):
    """Return the rows as pandas prints them."""
    lines = [["", *rows[0]], *([str(n), *map(str, row.values())] for n, row in enumerate(rows))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines
    )


def as_lines(rows):
    return "\n".join(map(json.dumps, rows))


@pytest.mark.parametrize("form", [as_csv, as_markdown, as_frame, as_lines])
@pytest.mark.parametrize("contract", ["object", "other"])
def test_a_table_gets_the_verdict_of_its_rows(contract, form):
    monitor = Monitor(learned(FORMS["object"] if contract == "object" else form, listed))
    assert monitor.check("get_order", {}, form(listed(70))) == ()
    for changes in ({"total": -3.5}, {"status": "lost"}, {"order_id": "?"}):
        plain = monitor.check("get_order", {}, listed(70, **changes))
        assert plain
        assert monitor.check("get_order", {}, form(listed(70, **changes))) == plain
