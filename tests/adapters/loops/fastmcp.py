"""FastMCP: a server with the middleware, and a client of the same make."""

import asyncio

from fastmcp import Client, FastMCP

from outcome_monitors.adapters.fastmcp import OutcomeMiddleware
from tests.adapters.loops import functions


def converse(calls, **how):
    server = FastMCP("shop", middleware=[OutcomeMiddleware(**how)])
    for function in functions(calls):
        server.tool(function)

    async def talk():
        async with Client(server) as client:
            await client.list_tools()
            for call in calls:
                await client.call_tool_mcp(call.tool, dict(call.arguments))

    asyncio.run(talk())
    return []
