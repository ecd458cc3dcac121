"""A server written with FastMCP. It asks clients of the handshake back; with a port it serves HTTP."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import uvicorn
from _shop import Order, kept, tools, wrong
from fastmcp import Context, FastMCP
from mcp_types import SamplingMessage, TextContent, ToolListChangedNotification

server = FastMCP("shop")
for tool in tools(Context):
    server.tool(tool)


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
async def grow(ctx: Context, name: str) -> Order:
    """Add a tool."""
    added: Callable[[], str] = lambda: "hello"  # noqa: E731 - it has no name of its own
    server.tool(added, name=name)
    await ctx.send_notification(ToolListChangedNotification())
    return wrong("grown")


if sys.argv[1:]:
    application = server.http_app(event_store=kept, retry_interval=50)
    uvicorn.run(application, port=int(sys.argv[1]), log_level="warning")
else:
    server.run(show_banner=False, log_level="WARNING")
