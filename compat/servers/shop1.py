"""A server written with the official Python SDK, major version 1."""

from typing import TypedDict

from mcp.server.fastmcp import FastMCP

server = FastMCP("shop")


class Order(TypedDict):
    """An order."""

    id: str
    total: float
    status: str


@server.tool()
def get_order(id: str, total: float = 12.5) -> Order:  # noqa: A002 - the tool's argument
    """Return an order."""
    return {"id": id, "total": total, "status": "sent"}


server.run()
