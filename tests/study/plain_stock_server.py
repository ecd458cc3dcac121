"""The stock of `stock_server.py`, on the wire: it starts at once, and needs no SDK."""

import json
import sys
from collections.abc import Callable
from typing import Any

STOCK = {f"P{number}": 10 + 7 * number for number in range(12)}
FIELDS = {"part": "string", "stock": "integer", "price": "number", "status": "string"}
TEXT = {"type": "string"}


def get_part(part):
    return {"part": part, "stock": STOCK[part], "price": 2.5 * (1 + int(part[1:])), "status": "listed"}


def move(part, to, quantity):
    STOCK[part] -= quantity
    STOCK[to] += quantity
    return f"moved {quantity}"


def tool(name, takes, gives=None):
    schema = {"type": "object", "properties": takes, "required": list(takes)}
    return {"name": name, "inputSchema": schema, **({"outputSchema": gives} if gives else {})}


PART = {
    "type": "object",
    "properties": {name: {"type": kind} for name, kind in FIELDS.items()},
    "required": list(FIELDS),
}
TOOLS = [
    tool("get_part", {"part": TEXT}, PART),
    tool("move", {"part": TEXT, "to": TEXT, "quantity": {"type": "integer"}}),
]


CALLED: dict[str, Callable[..., Any]] = {"get_part": get_part, "move": move}


def called(name, arguments):
    try:
        given: Any = CALLED[name](**arguments)
    except KeyError as error:
        return {"content": [{"type": "text", "text": f"there is no {error}"}], "isError": True}
    if isinstance(given, str):
        return {"content": [{"type": "text", "text": given}]}
    return {"content": [{"type": "text", "text": json.dumps(given)}], "structuredContent": given}


def answer(method, params):
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return called(params["name"], params["arguments"])
    return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {}}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params"))
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
        sys.stdout.flush()
