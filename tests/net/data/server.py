"""An MCP server of a few lines: it answers `tools/call` with the results of a trace file, in bytes that nobody would choose.

server.py TRACES RECEIVED: `_meta.row` of a call is the line to answer with; what it is sent is appended to RECEIVED.
"""

import json
import sys
from pathlib import Path
from typing import Any

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "total": {"type": "number"},
        "status": {"enum": ["sent", "pending"]},
    },
    "required": ["id", "total", "status"],
}


def answer(message: dict[str, Any], rows: list[dict[str, Any]]) -> bytes:
    """Return the bytes of an answer: spaces, escapes and the order of keys are as no library has them."""
    method, number = message["method"], json.dumps(message["id"]).encode()
    if method == "initialize":
        return (
            b'{"id":%b , "result":{"capabilities":{"tools":{}},"serverInfo":{"name":"sh\\u006fp","version":"1"},"protocolVersion":"2025-06-18"},"jsonrpc":"2.0"}'
            % number
        )
    if method == "tools/list":
        names = sorted({"quote", *(row["tool"] for row in rows)})
        tools: list[dict[str, Any]] = [{"name": name, "inputSchema": {"type": "object"}} for name in names]
        tools[names.index("quote")]["description"] = "Quote the price of a product."
        tools.append({"name": "depot", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA})
        return b'{"jsonrpc" : "2.0","id":%b,"result":{"tools":%b}}' % (number, json.dumps(tools).encode())
    if method != "tools/call":
        return b'{"jsonrpc":"2.0","id":%b,"error":{"message":"unknown","code":-32601}}' % number
    params = message["params"]
    arguments, row = params["arguments"], dict[str, Any]()
    if params["name"] == "depot":
        row["result"] = {"id": arguments["id"], "total": arguments.get("total", 12.5), "status": "sent"}
    elif params["name"] == "quote":
        row["result"] = {"code": arguments["code"], "price": -1.5, "currency": "EUR"}
    else:
        row = rows[params["_meta"]["row"]]
    value = json.dumps(row["result"]).encode()
    text = json.dumps(row["result"] if isinstance(row["result"], str) else value.decode()).encode()
    structured = b' "structuredContent":  %b,' % value if isinstance(row["result"], dict) else b""
    failed = b'"isError":true,' if row.get("error") else b""
    return b'{"result":{%b%b "content":[{"text":%b ,"type":"text"}]} , "id":%b,"jsonrpc":"2.0"}' % (
        failed,
        structured,
        text,
        number,
    )


def main(traces: str, received: str) -> None:
    """Answer what comes on standard input, until it ends."""
    rows = [json.loads(line) for line in Path(traces).read_text(encoding="utf-8").splitlines()]
    with Path(received).open("ab") as log:
        for line in sys.stdin.buffer:
            log.write(line)
            log.flush()
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if "id" in message:
                sys.stdout.buffer.write(
                    b'{"method":"notifications/progress" ,"jsonrpc":"2.0"}\n' + answer(message, rows) + b"\n"
                )
                sys.stdout.buffer.flush()
    sys.stdout.buffer.write(b"{no JSON, and no newline")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
