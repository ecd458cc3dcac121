"""A server written with FastMCP. It asks clients of the handshake back; with a port it serves HTTP."""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from _kept import Kept
from fastmcp import Context, FastMCP
from mcp_types import SamplingMessage, TextContent, ToolListChangedNotification
from typing_extensions import TypedDict

server = FastMCP("shop")
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


@server.tool
def get_order(id: str, total: float = 12.5) -> Order:  # noqa: A002 - the tool's argument
    """Return an order."""
    return {"id": id, "total": total, "status": "sent"}


@server.tool
async def sample(ctx: Context) -> Order:
    """Ask the client's model."""
    asked = SamplingMessage(role="user", content=TextContent(type="text", text="How is the order?"))
    said = await ctx.session.create_message([asked], max_tokens=10, related_request_id=ctx.request_id)
    return wrong(said.content.text)


@dataclass
class Sure:
    """What the client is asked for."""

    sure: bool


@server.tool
async def elicit(ctx: Context) -> Order:
    """Ask the client's user."""
    told = await ctx.elicit("Are you sure?", Sure)
    return wrong(f"{told.action} {told.data.sure}")


@server.tool
async def roots(ctx: Context) -> Order:
    """Ask where the client is at work."""
    found = await ctx.session.list_roots()
    return wrong(" ".join(str(root.uri) for root in found.roots))


@server.tool
async def count(ctx: Context) -> Order:
    """Say how far it is."""
    for number in range(3):
        await ctx.report_progress(number, 3)
        await asyncio.sleep(0.1)
    return wrong("counted")


@server.tool
async def log(ctx: Context) -> Order:
    """Log something."""
    await ctx.info("the shop is open")
    return wrong("logged")


@server.tool
async def wait(ctx: Context) -> Order:
    """Wait for a minute, and note when that is called off."""
    await ctx.report_progress(0, 1)
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        stopped.append("wait")
        raise
    return wrong("waited")


@server.tool
def waited() -> Order:
    """Say what was called off."""
    return wrong(f"called off: {len(stopped)}")


@server.tool
async def grow(ctx: Context, name: str) -> Order:
    """Add a tool."""
    added: Callable[[], str] = lambda: "hello"  # noqa: E731 - it has no name of its own
    server.tool(added, name=name)
    await ctx.send_notification(ToolListChangedNotification())
    return wrong("grown")


@server.tool
async def resume(ctx: Context) -> Order:
    """Break the stream, and answer when it is gone."""
    await ctx.close_sse_stream()
    await asyncio.sleep(0.2)
    return wrong("resumed")


@server.tool
def resumed() -> Order:
    """Say how many streams were resumed."""
    return wrong(f"resumed: {kept.resumed}")


if sys.argv[1:]:
    application = server.http_app(event_store=kept, retry_interval=50)
    uvicorn.run(application, port=int(sys.argv[1]), log_level="warning")
else:
    server.run(show_banner=False, log_level="WARNING")
