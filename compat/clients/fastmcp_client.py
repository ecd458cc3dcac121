"""FastMCP's client."""

import asyncio
import json

from _visits import main
from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport


async def visit(tool, arguments, command=None, env=None, url=None, era="auto"):
    server = (
        StreamableHttpTransport(url)
        if url
        else StdioTransport(command[0], command[1:], env=env, keep_alive=False)
    )
    async with Client(server, mode=era) as client:
        await client.list_tools()
        result = await client.call_tool(tool, arguments)
        texts = [block.text for block in result.content if block.type == "text"]
        shown = json.dumps({"content": texts, "structured": result.structured_content})
        return shown, client.protocol_version


asyncio.run(main(visit))
