"""A server written with the official SDK: tools, prompts, resources, progress. With a port it serves HTTP."""

import sys
from typing import TypedDict

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("shop")


class Order(TypedDict):
    """An order."""

    id: str
    total: float
    status: str


@server.tool()
def get_order(id: str, total: float = 12.5) -> Order:  # noqa: A002 - the tool's argument
    return {"id": id, "total": total, "status": "sent"}


class Stock(TypedDict):
    """How much there is of an item."""

    item: str
    quantity: float


@server.tool()
def get_stock(item: str, quantity: float = 3) -> Stock:
    return {"item": item, "quantity": quantity}


@server.tool()
async def count(to: int, ctx: Context) -> str:
    for number in range(to):
        await ctx.report_progress(number, to)
    return "counted"


@server.tool()
def fails() -> str:
    raise ValueError("it does")


@server.prompt()
def greet(name: str) -> str:
    return f"Greet {name}"


@server.resource("shop://terms")
def terms() -> str:
    return "None."


if __name__ == "__main__":
    if sys.argv[1:]:
        server.run("streamable-http", port=int(sys.argv[1]))
    else:
        server.run()
