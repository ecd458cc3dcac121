"""A server written with the official SDK: a store's stock, which can be looked up and moved."""

from typing import TypedDict

from mcp.server.mcpserver import MCPServer

server = MCPServer("stock")
STOCK = {f"P{number}": 10 + 7 * number for number in range(12)}


class Part(TypedDict):
    """A part."""

    part: str
    stock: int
    price: float
    status: str


@server.tool()
def get_part(part: str) -> Part:
    """Show a part."""
    if part not in STOCK:
        raise ValueError(f"there is no part {part}")
    return {"part": part, "stock": STOCK[part], "price": 2.5 * (1 + int(part[1:])), "status": "listed"}


@server.tool()
def move(part: str, to: str, quantity: int) -> str:
    """Move parts elsewhere."""
    STOCK[part] -= quantity
    STOCK[to] += quantity
    return f"moved {quantity}"


if __name__ == "__main__":
    server.run()
