"""The official Python SDK, major version 2."""

import asyncio

from _visits import main
from mcp import Client
from mcp.client.stdio import StdioServerParameters


async def visit(tool, arguments, command=None, env=None, url=None, era="auto"):
    server = url or StdioServerParameters(command=command[0], args=command[1:], env=env)
    async with Client(server, mode=era) as client:
        await client.list_tools()
        result = await client.call_tool(tool, arguments)
        return result.model_dump_json(exclude={"meta"}, exclude_none=True), client.protocol_version


asyncio.run(main(visit))
