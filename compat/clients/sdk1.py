"""The official Python SDK, major version 1."""

import asyncio

from _visits import tell, visits
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def visit(command, env, tool, arguments):
    server = StdioServerParameters(command=command[0], args=command[1:], env=env)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        await session.list_tools()
        result = await session.call_tool(tool, arguments)
        return result.model_dump_json(exclude={"meta"}, exclude_none=True)


async def main():
    tell([await visit(**one) for one in visits()])


asyncio.run(main())
