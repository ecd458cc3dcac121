"""The official Python SDK, major version 2."""

import asyncio

from _visits import tell, visits
from mcp import Client
from mcp.client.stdio import StdioServerParameters


async def visit(command, env, tool, arguments):
    server = StdioServerParameters(command=command[0], args=command[1:], env=env)
    async with Client(server) as client:
        await client.list_tools()
        result = await client.call_tool(tool, arguments)
        return result.model_dump_json(exclude={"meta"}, exclude_none=True)


async def main():
    tell([await visit(**one) for one in visits()])


asyncio.run(main())
