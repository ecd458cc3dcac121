"""From a source's export to an adapter: import, mine, then clean calls and faults in the forms that frameworks give results in."""

import json
import random
from dataclasses import replace
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.adapters.functions import run, watched
from outcome_monitors.events import Watch
from outcome_monitors.traces.imports import ImportTally, import_traces
from tests.events.shop import Kept
from tests.traces.imports.exports import EXPORTS

SOURCE = pytest.mark.parametrize("source", EXPORTS)
STATUSES = ("paid", "sent", "open")


def get_order(number, chance):
    rows = [
        {"sku": f"A{chance.randrange(900) + 100}", "count": n, "price": round(chance.uniform(1, 80), 2)}
        for n in (1, 2, 3)[: chance.randrange(3) + 1]
    ]
    return {
        "order_id": f"W{number:05}",
        "status": chance.choice(STATUSES),
        "placed": f"2026-0{chance.randrange(1, 9)}-1{chance.randrange(9)}",
        "rows": rows,
        "total": round(sum(row["count"] * row["price"] for row in rows), 2),
    }


def calls_of(number, chance):
    """Return the calls of one task."""
    name = f"task-{number}"
    order = get_order(number, chance)
    stock = [{"sku": row["sku"], "left": chance.randrange(1, 500), "unit": "piece"} for row in order["rows"]]
    rate = round(chance.uniform(0.8, 1.2), 4)
    paid = {"currency": "EUR", "rate": rate, "amount": round(order["total"] * rate, 2)}
    return [
        Call("get_order", {"order_id": order["order_id"]}, order, task=name, session=name),
        Call("list_stock", {"order_id": order["order_id"], "limit": 3}, stock, task=name, session=name),
        Call("convert", {"amount": order["total"], "currency": "EUR"}, paid, task=name, session=name),
    ]


def tasks(first, count):
    chance = random.Random(first)
    return [call for number in range(first, first + count) for call in calls_of(number, chance)]


LEARNED = tasks(0, 60)
CLEAN = tasks(1000, 67)[:200]
WRONG = {
    "get_order": (
        lambda order: {**order, "total": -order["total"]},
        lambda order: {**order, "total": str(order["total"])},
        lambda order: {**order, "status": "st#tus"},
        lambda order: {key: value for key, value in order.items() if key != "rows"},
        lambda order: {**order, "order_id": "W99999"},
        lambda order: {**order, "placed": "yesterday"},
        lambda _order: {"error": "internal"},
        lambda _order: None,
    ),
    "list_stock": (
        lambda rows: [{**row, "left": None} for row in rows],
        lambda rows: {"rows": rows},
        lambda rows: [{"sku": row["sku"]} for row in rows],
        lambda rows: [{**row, "unit": 7} for row in rows],
    ),
    "convert": (
        lambda paid: {**paid, "amount": -1},
        lambda paid: {**paid, "currency": "XXX"},
        lambda paid: {"amount": paid["amount"]},
        lambda paid: {**paid, "rate": "n/a"},
    ),
}
FAULTS = [
    replace(call, result=change(call.result))
    for call, place in zip(tasks(2000, 7)[:20], range(20), strict=True)
    for change in [WRONG[call.tool][place // 3 % len(WRONG[call.tool])]]
]


class Contracts:
    """Contracts of calls, and what they come to; exports that say the same share them."""

    known: dict[str, "Contracts"] = {}

    def __init__(self, calls):
        self.registry = mine(calls, "full")
        self.figures = {}

    @classmethod
    def of(cls, calls):
        key = repr(
            [(call.tool, dict(call.arguments), call.result, call.task, call.session) for call in calls]
        )
        if key not in cls.known:
            cls.known[key] = cls(calls)
        return cls.known[key]

    def flagged(self, calls, send, *options):
        """Return how many calls an adapter flags."""
        key = (id(calls), send, *options)
        if key not in self.figures:
            kept = Kept()
            send(Watch(Monitor(self.registry), kept), calls, *options)
            assert len(kept.events) == len(calls)
            self.figures[key] = sum(event.outcome == "flagged" for event in kept.events)
        return self.figures[key]


def caught_plainly():
    monitor = Monitor(Contracts.of(LEARNED).registry)
    return sum(bool(monitor.check(call.tool, call.arguments, call.result)) for call in FAULTS)


def exported(source, tmp_path):
    """Return the calls that come back from a source's export, and what was said of them."""
    path = tmp_path / "export.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in EXPORTS[source](LEARNED)))
    tally = ImportTally()
    return list(import_traces([path], tally=tally)), tally


@SOURCE
def test_what_was_written_comes_back(source, tmp_path):
    calls, tally = exported(source, tmp_path)
    assert [(call.tool, call.arguments, call.result, call.error) for call in calls] == [
        (call.tool, call.arguments, call.result, False) for call in LEARNED
    ]
    assert {name for _, name in tally.records} == {{"codex": "openai"}.get(source, source)}
    assert not [line for line in tally.explain() if "wrapper" in line or "lost" in line]


def parts_of(result):
    """Return a result of Python's own types: what JSON has as numbers and texts are decimals and days."""
    if isinstance(result, dict):
        return {
            key: date.fromisoformat(value) if key == "placed" and value[:2] == "20" else parts_of(value)
            for key, value in result.items()
        }
    if isinstance(result, list):
        return tuple(parts_of(item) for item in result)
    return Decimal(str(result)) if type(result) is float else result


class ToolMessage(SimpleNamespace):
    """LangChain's message, known by its name and its fields."""


FORMS = {
    "object": lambda result: result,
    "text": json.dumps,
    "python types": parts_of,
    "blocks": lambda result: [{"type": "text", "text": json.dumps(result)}],
    "message": lambda result: ToolMessage(content=json.dumps(result), tool_call_id="c1", artifact=None),
    "mcp": lambda result: {"content": [{"type": "text", "text": json.dumps(result)}], "isError": False},
}


def giving(result):
    """Return a tool that gives a result."""
    return lambda **_: result


def through_functions(watch, calls, form):
    for call in calls:
        tool = watched(watch, name=call.tool, tell=lambda *_: None)(giving(form(call.result)))
        with run(call.session):
            tool(**call.arguments)


@SOURCE
def test_functions(source, tmp_path):
    """Whatever a function gives a result as, contracts of an export hold it to what they learned."""
    contracts = Contracts.of(exported(source, tmp_path)[0])
    caught = caught_plainly()
    assert caught >= 16
    for name, form in FORMS.items():
        assert contracts.flagged(CLEAN, through_functions, form) <= 2, name
        assert contracts.flagged(FAULTS, through_functions, form) >= caught, name


def through_langchain(watch, calls):
    from langchain.agents import create_agent  # noqa: PLC0415 - a framework, which may be absent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel  # noqa: PLC0415 - as above
    from langchain_core.messages import AIMessage  # noqa: PLC0415 - as above
    from langchain_core.tools import StructuredTool  # noqa: PLC0415 - as above

    from outcome_monitors.adapters.langchain import OutcomeMiddleware  # noqa: PLC0415 - as above

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools, **kwargs):
            return self

    results = iter([call.result for call in calls])
    schemas = {call.tool: dict.fromkeys(call.arguments, True) for call in calls}
    tools = [
        StructuredTool(
            name=name,
            description=name,
            args_schema={"type": "object", "properties": properties},
            func=lambda **_: next(results),
        )
        for name, properties in schemas.items()
    ]
    asked = [
        AIMessage("", tool_calls=[{"name": call.tool, "args": dict(call.arguments), "id": f"c{number}"}])
        for number, call in enumerate(calls)
    ]
    model = Scripted(messages=iter([*asked, AIMessage("done")]))
    agent = create_agent(model, tools, middleware=[OutcomeMiddleware(watch)])
    agent.invoke({"messages": [("user", "Go on.")]}, {"recursion_limit": 9999})


def through_openai_agents(watch, calls):
    from agents import Agent, FunctionTool, Runner, set_tracing_disabled, testing  # noqa: PLC0415 - as above

    from outcome_monitors.adapters import openai_agents  # noqa: PLC0415 - as above

    set_tracing_disabled(True)
    results = iter([call.result for call in calls])

    async def answer(_context, _given):
        return next(results)

    tools = [
        FunctionTool(name, name, {"type": "object", "properties": {}}, answer, strict_json_schema=False)
        for name in {call.tool: None for call in calls}
    ]
    steps = [
        [testing.function_call(call.tool, json.dumps(call.arguments), call_id=f"c{number}")]
        for number, call in enumerate(calls)
    ]
    model = testing.ScriptedModel([*steps, [testing.assistant_message("done")]])
    agent = Agent("shop", model=model, tools=openai_agents.watched(tools, watch))
    Runner.run_sync(agent, "Go on.", max_turns=9999)


def through_pydantic_ai(watch, calls):
    from pydantic_ai import Agent, Tool  # noqa: PLC0415 - as above
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: PLC0415 - as above
    from pydantic_ai.models.function import FunctionModel  # noqa: PLC0415 - as above
    from pydantic_ai.usage import UsageLimits  # noqa: PLC0415 - as above

    from outcome_monitors.adapters.pydantic_ai import OutcomeContracts  # noqa: PLC0415 - as above

    results = iter([call.result for call in calls])
    steps = iter([ToolCallPart(call.tool, dict(call.arguments)) for call in calls])
    schemas = {call.tool: dict.fromkeys(call.arguments, True) for call in calls}
    tools = [
        Tool.from_schema(
            lambda **_: next(results),
            name=name,
            description=name,
            json_schema={"type": "object", "properties": properties},
        )
        for name, properties in schemas.items()
    ]
    model = FunctionModel(lambda _messages, _info: ModelResponse([next(steps, TextPart("done"))]))
    agent = Agent(model, tools=tools, capabilities=[OutcomeContracts(watch)])
    agent.run_sync("Go on.", usage_limits=UsageLimits(request_limit=None))


FRAMEWORKS = {
    "langchain.agents.middleware": through_langchain,
    "agents.testing": through_openai_agents,
    "pydantic_ai.capabilities": through_pydantic_ai,
}
"""What each is known by, and its loop."""


@pytest.mark.parametrize("framework", FRAMEWORKS)
@SOURCE
def test_frameworks(source, framework, tmp_path):
    """The same through the loop of a framework, where it is installed."""
    pytest.importorskip(
        framework, reason=f"{framework} is not installed: make compat has environments with it"
    )
    contracts = Contracts.of(exported(source, tmp_path)[0])
    assert contracts.flagged(CLEAN, FRAMEWORKS[framework]) <= 2
    assert contracts.flagged(FAULTS, FRAMEWORKS[framework]) >= caught_plainly()
