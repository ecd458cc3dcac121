"""FastMCP: a server with the middleware, and a client of the same make."""

import asyncio

from fastmcp import Client, FastMCP

from outcome_monitors.adapters.fastmcp import OutcomeMiddleware
from tests.adapters.frameworks import Talk


def talk(functions, asks, session="s", **how):
    return calls(functions, asks, **how)[0]


def calls(functions, asks, *, mode="auto", lists=True, **how):
    """Have a client call tools, and return the results and the tools, too; `mode` is the era of the protocol, and `lists` says whether it asks what tools there are."""
    server = FastMCP("shop", middleware=[OutcomeMiddleware(**how)] if how else [])
    for function in functions:
        server.tool(function)

    async def run():
        async with Client(server, mode=mode) as client:
            tools = await client.list_tools() if lists else []
            return [await client.call_tool_mcp(name, dict(arguments)) for name, arguments in asks], tools

    results, tools = asyncio.run(run())
    read = ["\n\n".join(block.text for block in result.content) for result in results]
    return Talk(read), results, tools
