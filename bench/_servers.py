"""The servers that the proxy is measured in front of: `python -m bench._servers bare|sdk`, or `bare-http|sdk-http PORT`, or `relay PORT TO`.

Each has one tool, `get_order`, which returns the orders of `_results`. The bare ones do as little as a server can; those of
the official SDK are what people run. The relay copies what comes over each connection, and looks at nothing: what it adds is the price
of one more process.
"""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import Any

from ._results import ORDER

CALLS = list(ORDER.fresh(50))
TOOL = {
    "name": ORDER.name,
    "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}}},
    "outputSchema": ORDER.schema,
}
_ORDERS = {call.arguments["order_id"]: call.result for call in CALLS}


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request."""
    result: dict[str, Any] = {}
    if message["method"] == "tools/list":
        result = {"tools": [TOOL]}
    elif message["method"] == "tools/call":
        arguments = message["params"]["arguments"]
        order = _ORDERS[arguments["order_id"]]
        result = {"content": [{"type": "text", "text": json.dumps(order)}], "structuredContent": order}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def bare() -> None:
    """Serve standard input and output."""
    for line in sys.stdin.buffer:
        message = json.loads(line)
        if "id" in message:
            sys.stdout.buffer.write(json.dumps(answer(message)).encode() + b"\n")
            sys.stdout.buffer.flush()


def sdk() -> None:
    """Serve standard input and output with the official SDK."""
    import mcp_types as types  # noqa: PLC0415 - an extra
    from mcp.server import Server  # noqa: PLC0415 - an extra
    from mcp.server.stdio import stdio_server  # noqa: PLC0415 - an extra

    async def call(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        order = _ORDERS[(params.arguments or {})["order_id"]]
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=json.dumps(order))], structured_content=order
        )

    async def list_(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(TOOL)])

    server = Server("orders", on_call_tool=call, on_list_tools=list_)

    async def run() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    asyncio.run(run())


def http(port: int) -> None:
    """Serve HTTP."""
    from aiohttp import web  # noqa: PLC0415 - an extra

    async def handle(request: web.Request) -> web.Response:
        return web.json_response(answer(await request.json()))

    application = web.Application()
    application.router.add_post("/mcp", handle)
    web.run_app(application, host="127.0.0.1", port=port, print=None, access_log=None)


def sdk_http(port: int) -> None:
    """Serve HTTP with the official SDK."""
    from mcp.server.mcpserver import MCPServer  # noqa: PLC0415 - an extra

    def get_order(order_id: str) -> dict[str, Any]:
        order: dict[str, Any] = _ORDERS[order_id]
        return order

    server = MCPServer("orders", log_level="ERROR")
    server.add_tool(get_order)
    server.run("streamable-http", port=port, stateless_http=True, json_response=True)


def relay(port: int, to: int) -> None:
    """Copy between clients and the server at a port of this machine."""

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(2**16):
            writer.write(data)
        writer.close()

    async def both(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        theirs, ours = await asyncio.open_connection("127.0.0.1", to)
        await asyncio.gather(copy(reader, ours), copy(theirs, writer))

    async def serve() -> None:
        server = await asyncio.start_server(both, "127.0.0.1", port)
        await server.serve_forever()

    asyncio.run(serve())


SERVERS: dict[str, Callable[..., None]] = {
    "bare": bare,
    "sdk": sdk,
    "bare-http": http,
    "sdk-http": sdk_http,
    "relay": relay,
}

if __name__ == "__main__":
    SERVERS[sys.argv[1]](*map(int, sys.argv[2:]))
