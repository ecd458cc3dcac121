"""A server of the official SDK whose tools return what Python functions return: nine types, from texts to tables of numbers."""

from dataclasses import dataclass
from typing import TypedDict

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("returns", log_level="WARNING")
NAMES = ("Ada", "Bob", "Cleo", "Dora", "Egon")


class Order(BaseModel):
    id: str
    total: float
    paid: bool
    note: str | None = None


class Place(TypedDict):
    city: str
    degrees: float


@dataclass
class Person:
    name: str
    age: int


@server.tool()
def text(n: int) -> str:
    return f"Note {n} of {NAMES[n * 7 % 5]}"


@server.tool()
def share(n: int) -> float:
    return n / 3


@server.tool()
def flag(n: int) -> bool:
    return n % 3 == 0


@server.tool()
def open_object(n: int) -> dict:  # type: ignore[type-arg]  # as it is often written
    return {"n": n, "name": NAMES[n * 3 % 5], "at": f"2026-01-{1 + n % 28:02}"}


@server.tool()
def rows(n: int) -> list[dict]:  # type: ignore[type-arg]  # the same
    return [{"id": f"R{n}-{i}", "count": i + 1} for i in range(n % 4)]


@server.tool()
def order(n: int) -> Order:
    return Order(id=f"W{n}", total=n * 1.5 + 1, paid=n % 2 == 0, note=None if n % 3 else "a gift")


@server.tool()
def place(n: int) -> Place:
    return {"city": NAMES[n * 7 % 5], "degrees": -5.0 + n}


@server.tool()
def person(n: int) -> Person:
    return Person(NAMES[n % 5], 20 + n)


@server.tool()
def table(n: int) -> dict[str, float]:
    return {NAMES[i]: i * 1.5 for i in range(n % 6)}


if __name__ == "__main__":
    server.run()
