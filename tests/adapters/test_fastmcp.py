"""FastMCP: a server with the middleware, and a client of the same make, which checks output schemas."""

import asyncio
import json

import pytest

pytest.importorskip("fastmcp.server.middleware", reason="needs fastmcp 4.x: make compat")

from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools.base import ToolResult
from pydantic import BaseModel, ConfigDict

from outcome_monitors.adapters.fastmcp import OutcomeMiddleware
from outcome_monitors.events import Watch
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, found, is_receipt, watching
from tests.events.shop import Kept, order, remembering


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: str
    total: float
    status: str


def server(watch):
    mcp = FastMCP("shop", middleware=[OutcomeMiddleware(watch)] if watch else [])

    @mcp.tool
    def get_order(id: str) -> Order:
        return Order(**found(id))

    @mcp.tool
    def two_texts():
        return ["one", "two"]

    return mcp


def talk(watch, *, lists):
    async def run():
        async with Client(server(watch)) as client:
            tools = await client.list_tools() if lists else []
            clean = await client.call_tool_mcp("get_order", {"id": CLEAN})
            wrong = await client.call_tool_mcp("get_order", {"id": BAD})
            with pytest.raises(ToolError):
                await client.call_tool("get_order", {"id": RAISES})
            return tools, clean, wrong, await client.call_tool("two_texts")

    return asyncio.run(run())


@pytest.mark.parametrize("lists", [True, False])
def test_a_receipt_goes_as_text_and_where_it_was_declared_in_the_structured_content(lists):
    watch, kept = watching()
    tools, clean, wrong, _ = talk(watch, lists=lists)
    assert clean.structured_content == order(1)
    assert len(clean.content) == 1
    raw, told = wrong.content
    assert json.loads(raw.text) == WRONG
    receipt = json.loads(told.text)["outcome_contract"]
    assert is_receipt(receipt)
    structured = dict(wrong.structured_content)
    declared = structured.pop("outcome_contract", None)
    assert structured == WRONG
    assert kept.outcomes[:3] == ["clean", "flagged", "not_checked"]
    if lists:
        assert declared == receipt
        schema = next(tool.output_schema for tool in tools if tool.name == "get_order")
        assert "outcome_contract" in schema["properties"]
        assert "outcome_contract" not in schema["required"]


def test_results_of_tools_without_a_contract_are_as_they_were():
    watch, kept = watching()
    *_, last = talk(watch, lists=True)
    assert last.data is None or "one" in str(last.data)
    assert kept.outcomes[-1] in ("not_covered", "not_checked")


def test_what_a_client_reads_of_a_flagged_result_is_written_as_it_is_without_us():
    (*_, raw, _), (*_, told, _) = (talk(watch, lists=True) for watch in (None, watching()[0]))
    assert told.content[0].text == raw.content[0].text
    assert told.structured_content.items() >= raw.structured_content.items()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_calls_of_a_client_are_one_conversation_in_both_eras(mode):
    kept = Kept()
    statuses = iter(["paid", "sent"])
    mcp = FastMCP("shop", middleware=[OutcomeMiddleware(Watch(remembering(), kept))])

    @mcp.tool
    def get_order(id: str) -> dict:
        return {"order_id": id, "status": next(statuses)}

    async def run():
        async with Client(mcp, mode=mode) as client:
            for _ in range(2):
                await client.call_tool("get_order", {"id": "W1"})

    asyncio.run(run())
    assert kept.outcomes == ["clean", "flagged"]
    assert len({event.session for event in kept.events}) == 1


class OwnResult(ToolResult):
    """A result of a class of the host's own."""


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_results_in_an_object_and_of_a_class_of_their_own_are_looked_at(mode):
    """What is no object stands in one on the wire, and the client takes it out again, receipt or not."""
    watch, kept = watching()
    watch.monitor._contracts["as_text"] = watch.monitor._contracts["get_order"]
    watch.monitor._contracts["as_own"] = watch.monitor._contracts["get_order"]
    mcp = FastMCP("shop", middleware=[OutcomeMiddleware(watch)])

    @mcp.tool
    def as_text(id: str) -> str:
        return json.dumps(found(id))

    @mcp.tool
    def as_own(id: str) -> ToolResult:
        return OwnResult(content="an order", structured_content=found(id))

    async def run():
        async with Client(mcp, mode=mode) as client:
            await client.list_tools()
            return [
                await client.call_tool(name, {"id": id})
                for name in ("as_text", "as_own")
                for id in (CLEAN, BAD)
            ]

    clean, wrong, *own = asyncio.run(run())
    assert [json.loads(result.data) for result in (clean, wrong)] == [order(1), WRONG]
    assert [len(result.content) for result in (clean, wrong, *own)] == [1, 2, 1, 2]
    assert is_receipt(wrong.structured_content["outcome_contract"])
    assert kept.outcomes == ["clean", "flagged", "clean", "flagged"]
