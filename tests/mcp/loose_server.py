"""A server written with the official SDK's parts, which holds no result against its own output schema."""

import asyncio

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool

SCHEMA = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "total": {"type": "number"}},
    "required": ["id", "total"],
}
ORDER = Tool(name="get_order", input_schema={"type": "object"}, output_schema=SCHEMA)


async def list_tools(_context, _params):
    return ListToolsResult(tools=[ORDER])


async def call_tool(_context, params):
    order = {"id": "W1", **(params.arguments or {})}
    said = TextContent(type="text", text="an order")
    return CallToolResult(content=[said], structured_content=order, is_error=False)


async def main():
    server = Server("shop", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
