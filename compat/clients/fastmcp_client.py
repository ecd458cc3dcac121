"""FastMCP's client."""

import asyncio
import json

from _visits import tell, visits
from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def visit(command, env, tool, arguments):
    async with Client(StdioTransport(command[0], command[1:], env=env, keep_alive=False)) as client:
        await client.list_tools()
        result = await client.call_tool(tool, arguments)
        texts = [block.text for block in result.content if block.type == "text"]
        return json.dumps({"content": texts, "structured": result.structured_content})


async def main():
    tell([await visit(**one) for one in visits()])


asyncio.run(main())
