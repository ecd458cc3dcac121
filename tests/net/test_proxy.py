"""The proxy: what is clean passes byte for byte, both ways; what is flagged has a receipt beside it."""

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.net.data.server import answer
from tests.net.support import DATA, Talk, environment, lines, run, same_json, same_text

ROWS = lines((DATA / "wrong.jsonl").read_bytes())
KEY = "outcome_contract"


def message(number, method, **params) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n"


def call(row: int) -> bytes:
    line = ROWS[row]
    return message(
        f"r{row}", "tools/call", name=line["tool"], arguments=line["arguments"], _meta={"row": row}
    )


HELLO = message(
    *(0, "initialize"),
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "net", "version": "1"},
)
START = (
    HELLO
    + b'{"jsonrpc": "2.0",  "method":"notifications/initialized"}\n{broken\n\n'
    + message(1, "tools/list")
)
SAID = b"".join([*map(call, range(len(ROWS))), message(2, "prompts/list")])
QUOTE = message("quote", "tools/call", name="quote", arguments={"code": "SKU-1000"})
"""A call that is always wrong, of a tool that nothing else asks."""


def plain(folder: Path) -> list[bytes]:
    """Return what the server says when it is asked without a proxy."""
    server = Talk(DATA / "server.py", DATA / "wrong.jsonl", "plain.bin", cwd=folder)
    return server.ask(START + SAID) + server.end()


def proxy(shop: Path, folder: Path, *options: str) -> Talk:
    """Start a proxy before the server."""
    events = ("--events", "events.jsonl", "--timeout", "60")
    server = ("--", sys.executable, DATA / "server.py", DATA / "wrong.jsonl", "received.bin")
    asked = ("proxy", "--contracts", shop / "full.json", *events, *options, *server)
    return Talk("-m", "outcome_monitors", *asked, cwd=folder)


def proxied(shop: Path, folder: Path, *options: str) -> list[bytes]:
    """Return what a client hears through the proxy."""
    running = proxy(shop, folder, *options)
    return running.ask(START + SAID) + running.end()


def until_tools_are_known(running: Talk) -> None:
    """Ask for a quote until its receipt names another tool.

    What stands in for what is worked out beside the conversation, from the tools listed and the calls that have come
    until then: without this, it would depend on the machine what the next receipts offer.
    """
    until = time.monotonic() + 60
    while not json.loads(running.ask(QUOTE)[1])["result"]["structuredContent"][KEY][
        "admissible_recovery_actions"
    ]:
        assert time.monotonic() < until, "the proxy never offers another tool"
        time.sleep(0.1)


def test_a_conversation_byte_for_byte(shop, tmp_path):
    running, server = proxy(shop, tmp_path), plain(tmp_path)
    heard = running.ask(START)
    until_tools_are_known(running)
    heard += running.ask(SAID) + running.end()
    assert (tmp_path / "received.bin").read_bytes().replace(QUOTE, b"") == START + SAID
    assert len(heard) == len(server)
    events = [row for row in lines((tmp_path / "events.jsonl").read_bytes()) if row["tool"] != "quote"]
    changed = [(was, now) for was, now in zip(server, heard, strict=True) if was != now]
    assert len(changed) == sum(event["told"] for event in events)
    for was, now in changed:
        before, after = json.loads(was), json.loads(now)
        assert len(after["result"]["content"]) > len(before["result"]["content"])
        if "structuredContent" in before["result"]:
            structured = after["result"]["structuredContent"]
            assert structured.pop(KEY)
            assert structured == before["result"]["structuredContent"]
        assert after["result"]["content"][: len(before["result"]["content"])] == before["result"]["content"]
    same_text("wire/proxy.jsonl", b"".join(heard).decode())
    fields = ("tool", "outcome", "told", "why", "clauses")
    same_json("wire/proxy.events.json", [{name: event.get(name) for name in fields} for event in events])


def test_nobody_is_told_in_other_modes(shop, tmp_path):
    server = plain(tmp_path)
    assert proxied(shop, tmp_path, "--mode", "shadow") == server
    events = lines((tmp_path / "events.jsonl").read_bytes())
    assert any(event["outcome"] == "flagged" for event in events)
    assert not any(event["told"] for event in events)
    assert proxied(shop, tmp_path, "--mode", "observe", "--record", "traces.jsonl") == server
    fields = ("tool", "arguments", "result", "error")
    rows = lines((tmp_path / "traces.jsonl").read_bytes())
    same_json(
        "wire/proxy.recorded.json", [{name: row[name] for name in fields if name in row} for row in rows]
    )


@pytest.mark.parametrize(
    ("option", "value", "row"),
    [("carry", carry, 1) for carry in ("both", "text", "structured", "meta")]
    + [("carry", carry, 17) for carry in ("structured", "meta")]
    + [("encoder", encoder, 1) for encoder in ("v1", "text")],
)
def test_how_a_receipt_travels(shop, tmp_path, option, value, row):
    """In a wrong object and in wrong text; of one tool alone, so that no receipt can name another."""
    running = proxy(shop, tmp_path, f"--{option}", value)
    heard = running.ask(HELLO + call(row)) + running.end()
    assert json.loads(heard[3])["id"] == f"r{row}"
    same_text(f"wire/proxy.{option}.{value}.{row}.jsonl", b"".join(heard).decode())


def test_a_server_that_is_not_there(tmp_path, shop):
    asked = ("proxy", "--contracts", shop / "full.json", "--", "no-such-program")
    done = run(*asked, cwd=tmp_path, status=2)
    assert done.stderr.startswith(b"error: ")
    assert b"Traceback" not in done.stderr


def test_the_exit_status_is_the_servers(tmp_path, shop):
    asked = ("proxy", "--contracts", shop / "full.json", "--", sys.executable, "-c", "raise SystemExit(7)")
    run(*asked, cwd=tmp_path, status=7)


# Over HTTP


class Upstream(BaseHTTPRequestHandler):
    """The same server over HTTP: an answer is JSON, or an event of a stream where the row's number is odd."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked = json.loads(body)
        if "id" not in asked:
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        data, kind = answer(asked, ROWS), "application/json"
        if asked["params"].get("_meta", {}).get("row", 0) % 2:
            data, kind = b"event: message\nid: 7\ndata: " + data + b"\n\n", "text/event-stream"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Mcp-Session-Id", "s1")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_) -> None:
        """Say nothing."""


def asked_over_http(port: int, body: bytes) -> tuple[str, bytes]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/mcp", body, {**headers, "Mcp-Session-Id": "s1"}
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.headers["Content-Type"], response.read()


@pytest.fixture
def upstream():
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.skipif(find_spec("aiohttp") is None, reason="aiohttp is not installed")
def test_a_conversation_over_http(shop, tmp_path, upstream):
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    asked = ["proxy", "--contracts", str(shop / "full.json"), "--events", "events.jsonl", "--timeout", "60"]
    asked += ["--upstream", f"http://127.0.0.1:{upstream}/mcp", "--listen", f"127.0.0.1:{port}"]
    command = [sys.executable, "-m", "outcome_monitors", *asked]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path), stderr=subprocess.PIPE)
    # Of one tool alone, so that no receipt can name another.
    rows = [row for row, line in enumerate(ROWS) if line["tool"] == "get_order"]
    try:
        until_it_listens(port, process)
        plainly, heard = ({row: asked_over_http(at, call(row)) for row in rows} for at in (upstream, port))
        hello = asked_over_http(port, HELLO)
    finally:
        process.terminate()
        _, log = process.communicate(timeout=60)
    assert b"Traceback" not in log, log.decode()
    assert hello == ("application/json", answer(json.loads(HELLO), ROWS))
    changed = [row for row in rows if plainly[row] != heard[row]]
    told = [event["told"] for event in lines((tmp_path / "events.jsonl").read_bytes())]
    assert len(changed) == sum(told)
    assert all(len(heard[row][1]) > len(plainly[row][1]) for row in changed)
    same_json("wire/proxy.http.json", {str(row): [heard[row][0], heard[row][1].decode()] for row in changed})


def until_it_listens(port: int, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    pytest.fail(f"nobody listens at {port}")
