"""A small MCP server, to try the proxy with: orders, the second of which is wrong."""

import json
import sys

ORDERS = {
    "W2000": {"order_id": "W2000", "status": "pending", "items": 2, "total": 43.0},
    "W2001": {"order_id": "W2001", "status": "Ok", "items": 3, "total": -62.5},
}
NUMBERS = {"items": {"type": "integer"}, "total": {"type": "number"}}
TEXTS = {name: {"type": "string"} for name in ("order_id", "status", "created_at", "updated_at")}
TOOL = {
    "name": "get_order",
    "inputSchema": {"type": "object", "properties": {"order_id": {"type": "string"}}},
    "outputSchema": {"type": "object", "properties": {**TEXTS, **NUMBERS}, "additionalProperties": False},
}


def answer(method, params):
    if method == "tools/list":
        return {"tools": [TOOL]}
    order = {
        **ORDERS[params["arguments"]["order_id"]],
        "created_at": "2026-04-01",
        "updated_at": "2026-04-02",
    }
    return {"content": [{"type": "text", "text": json.dumps(order)}], "structuredContent": order}


for line in sys.stdin:
    message = json.loads(line)
    result = answer(message["method"], message.get("params"))
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
