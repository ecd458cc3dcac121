"""Lines and bodies through a real proxy, in shadow, both ways: what goes in comes out, byte for byte, and the proxy ends as its server does."""

import asyncio
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.events.shop import contracts
from tests.fuzz.messages import altered, exchanges

__all__ = ["bodies_pass", "lines_pass"]

LINES, BODIES = 4000, 400
SERVER = """
import sys, threading
def listen():
    with open(sys.argv[2], "wb") as kept:
        while part := sys.stdin.buffer.read1(65536):
            kept.write(part)
listening = threading.Thread(target=listen)
listening.start()
with open(sys.argv[1], "rb") as said:
    while part := said.read(7001):
        sys.stdout.buffer.write(part)
        sys.stdout.buffer.flush()
sys.stdout.close()
listening.join()
"""
KINDS = (b"application/json", b"application/json; charset=utf-8", b"text/event-stream", b"text/html", b"")


def _command(folder: Path, *rest: str) -> list[str]:
    contracts().save(folder / "contracts.json")
    named = ("--contracts", str(folder / "contracts.json"), "--mode", "shadow", "--largest", "3000")
    return [sys.executable, "-m", "outcome_monitors", "proxy", *named, "--events", "none", *rest]


def lines_pass(seed: int) -> int:
    """Send lines through over stdio; return how many."""
    rng = random.Random(seed)
    made = [*exchanges(rng, LINES // 2)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "server.py").write_text(SERVER)
        (folder / "said").write_bytes(b"".join(one.answered for one in made))
        asked = b"".join(one.asked for one in made)
        server = [sys.executable, *(str(folder / file) for file in ("server.py", "said", "heard"))]
        done = subprocess.run(_command(folder, "--", *server), input=asked, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout == (folder / "said").read_bytes()
        assert (folder / "heard").read_bytes() == asked
    return LINES


def bodies_pass(seed: int) -> int:
    """Send requests and answers through over HTTP; return how many."""
    with tempfile.TemporaryDirectory() as name:
        return asyncio.run(_bodies_pass(random.Random(seed), Path(name)))


async def _bodies_pass(rng: random.Random, folder: Path) -> int:
    said: dict[bytes, bytes] = {}
    heard: dict[bytes, bytes] = {}

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                [number] = re.findall(rb"/mcp/(\d+)", head)
                heard[number] = await reader.readexactly(
                    int(re.findall(rb"(?i)content-length: (\d+)", head)[0])
                )
                writer.write(said[number])
        except asyncio.IncompleteReadError:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        behind = server.sockets[0].getsockname()[1]
        address = ("--upstream", f"http://127.0.0.1:{behind}/mcp", "--listen", "127.0.0.1:0")
        proxy = await asyncio.create_subprocess_exec(*_command(folder, *address), stderr=subprocess.PIPE)
        assert proxy.stderr is not None
        try:
            [port] = re.findall(r"served at http://127.0.0.1:(\d+)", (await proxy.stderr.readline()).decode())
            reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
            for index, one in enumerate(exchanges(rng, BODIES // 2)):
                number = b"%d" % index
                body = altered(rng, one.answered) if rng.random() < 0.2 else one.answered
                said[number] = _answer(rng, body)
                head = b"POST /mcp/%b HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % (
                    number,
                    len(one.asked),
                )
                writer.write(head + b"Mcp-Session-Id: s\r\n\r\n" + one.asked)
                assert await _body(reader) == body
                assert heard[number] == one.asked
            writer.close()
        finally:
            proxy.terminate()
            _, log = await proxy.communicate()
        assert proxy.returncode == 0, log
    return BODIES


def _answer(rng: random.Random, body: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n" % rng.choice(KINDS)
    if rng.random() < 0.5:
        return head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    cut = rng.randint(0, len(body))
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:cut], body[cut:]) if part)
    return head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n"


async def _body(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), head
    size = re.findall(rb"Content-Length: (\d+)", head)
    if size:
        return await reader.readexactly(int(size[0]))
    body = b""
    while length := int(await reader.readline(), 16):
        body += (await reader.readexactly(length + 2))[:-2]
    await reader.readexactly(2)
    return body
