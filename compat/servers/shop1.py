"""A server written with the official Python SDK, major version 1. It asks its client back; with a port it serves HTTP."""

import sys
from collections.abc import Callable

from _shop import Order, kept, tools, wrong
from mcp.server.fastmcp import Context, FastMCP
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel

PORT = int(sys.argv[1]) if sys.argv[1:] else 0
server = FastMCP("shop", port=PORT, event_store=kept, retry_interval=50, log_level="WARNING")
for tool in tools(Context):
    server.tool()(tool)


@server.tool()
async def sample(ctx: Context) -> Order:
    """Ask the client's model."""
    asked = SamplingMessage(role="user", content=TextContent(type="text", text="How is the order?"))
    return wrong((await ctx.session.create_message([asked], max_tokens=10)).content.text)


class Sure(BaseModel):
    """What the client is asked for."""

    sure: bool


@server.tool()
async def elicit(ctx: Context) -> Order:
    """Ask the client's user."""
    told = await ctx.elicit("Are you sure?", Sure)
    return wrong(f"{told.action} {told.data.sure}")


@server.tool()
async def roots(ctx: Context) -> Order:
    """Ask where the client is at work."""
    found = await ctx.session.list_roots()
    return wrong(" ".join(str(root.uri) for root in found.roots))


@server.tool()
async def grow(ctx: Context, name: str) -> Order:
    """Add a tool."""
    added: Callable[[], str] = lambda: "hello"  # noqa: E731 - it has no name of its own
    server.add_tool(added, name=name)
    await ctx.session.send_tool_list_changed()
    return wrong("grown")


server.run("streamable-http" if PORT else "stdio")
