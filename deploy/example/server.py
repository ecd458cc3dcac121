"""A small MCP server over streamable HTTP, to try the proxy with: orders, one in fifty of which is wrong."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TEXT, NUMBER = {"type": "string"}, {"type": "number"}
TOOL = {
    "name": "get_order",
    "description": "Look an order up by its number.",
    "inputSchema": {"type": "object", "properties": {"order_id": TEXT}, "required": ["order_id"]},
    "outputSchema": {"type": "object", "properties": {"order_id": TEXT, "status": TEXT, "total": NUMBER}},
}
ABOUT = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "shop", "version": "1"},
}


def order(number: str) -> dict[str, object]:
    """Return an order; the total of every fiftieth is negative."""
    digits = int("".join(filter(str.isdigit, number)) or 0)
    total = 10.0 + digits % 90
    return {
        "order_id": number,
        "status": ("pending", "sent")[digits % 2],
        "total": total if digits % 50 else -total,
    }


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a request."""
    result: Any
    if message["method"] == "tools/call":
        found = order(message["params"]["arguments"]["order_id"])
        result = {"content": [{"type": "text", "text": json.dumps(found)}], "structuredContent": found}
    else:
        result = {"initialize": ABOUT, "tools/list": {"tools": [TOOL]}}.get(message["method"], {})
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class Handler(BaseHTTPRequestHandler):
    """Answers what is posted, one message a request."""

    protocol_version = "HTTP/1.1"
    # Head and body in one piece: else the second waits for word of the first.
    wbufsize = -1

    def do_POST(self) -> None:
        """Answer a request; take a notification."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._say(200, json.dumps(answer(message)).encode()) if "id" in message else self._say(202, b"")

    def do_GET(self) -> None:
        """Have no stream to listen to."""
        self._say(405, b"")

    def _say(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    host, _, port = sys.argv[1].rpartition(":")
    ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
