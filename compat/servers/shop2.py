"""A server written with the official Python SDK, major version 2. It asks its client back; with a port it serves HTTP.

What it asks goes by a request to the client, or, in the era of 2026-07-28, by an `InputRequired` result.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import Annotated, TypedDict

from _kept import Kept
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("shop", log_level="WARNING")
stopped: list[str] = []
kept = Kept()


class Order(TypedDict):
    """An order."""

    id: str
    total: float
    status: str


def wrong(status: str) -> Order:
    """Return an order that breaks its contract."""
    return {"id": "W1", "total": -5.0, "status": status}


@server.tool()
def get_order(id: str, total: float = 12.5) -> Order:  # noqa: A002 - the tool's argument
    """Return an order."""
    return {"id": id, "total": total, "status": "sent"}


def asks_model() -> Sample:
    """Ask the client's model."""
    asked = SamplingMessage(role="user", content=TextContent(type="text", text="How is the order?"))
    return Sample([asked], max_tokens=10)


@server.tool()
def sample(said: Annotated[CreateMessageResult, Resolve(asks_model)]) -> Order:
    """Ask the client's model."""
    return wrong(said.content.text)


class Sure(BaseModel):
    """What the client is asked for."""

    sure: bool


def asks_user() -> Elicit[Sure]:
    """Ask the client's user."""
    return Elicit("Are you sure?", Sure)


@server.tool()
def elicit(told: Annotated[Sure, Resolve(asks_user)]) -> Order:
    """Ask the client's user."""
    return wrong(f"accept {told.sure}")


def asks_roots() -> ListRoots:
    """Ask where the client is at work."""
    return ListRoots()


@server.tool()
def roots(found: Annotated[ListRootsResult, Resolve(asks_roots)]) -> Order:
    """Ask where the client is at work."""
    return wrong(" ".join(str(root.uri) for root in found.roots))


@server.tool()
async def count(ctx: Context) -> Order:
    """Say how far it is."""
    for number in range(3):
        await ctx.report_progress(number, 3)
        await asyncio.sleep(0.1)
    return wrong("counted")


@server.tool()
async def log(ctx: Context) -> Order:
    """Log something."""
    await ctx.info("the shop is open")
    return wrong("logged")


@server.tool()
async def wait(ctx: Context) -> Order:
    """Wait for a minute, and note when that is called off."""
    await ctx.report_progress(0, 1)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        stopped.append("wait")
        raise
    return wrong("waited")


@server.tool()
def waited() -> Order:
    """Say what was called off."""
    return wrong(f"called off: {len(stopped)}")


@server.tool()
async def grow(ctx: Context, name: str) -> Order:
    """Add a tool."""
    added: Callable[[], str] = lambda: "hello"  # noqa: E731 - it has no name of its own
    server.add_tool(added, name=name)
    # The one is for those who listen, as in the era of 2026-07-28, the other for those of the handshake.
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return wrong("grown")


@server.tool()
async def resume(ctx: Context) -> Order:
    """Break the stream, and answer when it is gone."""
    await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    return wrong("resumed")


@server.tool()
def resumed() -> Order:
    """Say how many streams were resumed."""
    return wrong(f"resumed: {kept.resumed}")


if sys.argv[1:]:
    server.run("streamable-http", port=int(sys.argv[1]), event_store=kept, retry_interval=50)
else:
    server.run()
