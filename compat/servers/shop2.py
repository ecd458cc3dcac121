"""A server written with the official Python SDK, major version 2. It asks its client back; with a port it serves HTTP.

What it asks goes by a request to the client, or, in the era of 2026-07-28, by an `InputRequired` result.
"""

import sys
from collections.abc import Callable
from typing import Annotated

from _shop import Order, kept, tools, wrong
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

server = MCPServer("shop", log_level="WARNING")
for tool in tools(Context):
    server.tool()(tool)


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
async def grow(ctx: Context, name: str) -> Order:
    """Add a tool."""
    added: Callable[[], str] = lambda: "hello"  # noqa: E731 - it has no name of its own
    server.add_tool(added, name=name)
    # The one is for those who listen, as in the era of 2026-07-28, the other for those of the handshake.
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()
    return wrong("grown")


if sys.argv[1:]:
    server.run("streamable-http", port=int(sys.argv[1]), event_store=kept, retry_interval=50)
else:
    server.run()
