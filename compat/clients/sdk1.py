"""The official Python SDK, major version 1."""

import asyncio

from _visits import main
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


async def visit(tool, arguments, command=None, env=None, url=None, **_era):
    opened = (
        streamable_http_client(url)
        if url
        else stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=env))
    )
    async with opened as (read, write, *_), ClientSession(read, write) as session:
        spoken = (await session.initialize()).protocolVersion
        await session.list_tools()
        result = await session.call_tool(tool, arguments)
        return result.model_dump_json(exclude={"meta"}, exclude_none=True), spoken


asyncio.run(main(visit))
