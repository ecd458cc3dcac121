"""What the tests of the proxy over HTTP share: servers behind it, and the proxy in this process or as one of its own."""

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

import pytest

pytest.importorskip("aiohttp")

from aiohttp import ClientSession, web
from yarl import URL

from outcome_monitors.mcp.http_relay import Relay
from outcome_monitors.mcp.http_server import ConnectionLimiter
from tests.events.shop import contracts
from tests.mcp.wire import PATIENCE, PATIENT, context

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


def run(test):
    asyncio.run(asyncio.wait_for(test(), PATIENCE))


@asynccontextmanager
async def _at(runner):
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def serving(handle):
    """Run a server that answers as it is told; give its address."""
    application = web.Application(client_max_size=2**30)
    application.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    async with _at(runner) as address:
        yield address


@asynccontextmanager
async def proxied_to(upstream, at=None, path="/mcp", **options):
    """Run a relay in front of a server, and a client; give the client, the relay and the relay's address."""
    relay = Relay(at or context(), f"{upstream}{path}", **options)
    runner = web.ServerRunner(ConnectionLimiter(relay), shutdown_timeout=0.1)
    try:
        async with _at(runner) as address, ClientSession(auto_decompress=False) as client:
            yield client, relay, address
    finally:
        await relay.close()


@asynccontextmanager
async def proxied(handle, at=None, **options):
    """Do so in front of a server that answers as it is told."""
    async with serving(handle) as upstream, proxied_to(upstream, at, **options) as all_of_it:
        yield all_of_it


class Response(NamedTuple):
    """What a client got."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def message(self):
        return json.loads(self.body)


async def fetch(client, address, message=None, method="POST", path="/mcp", **options) -> Response:
    """Make a request, of a message or of a body."""
    options = options if message is None else {"json": message, **options}
    async with client.request(method, URL(f"{address}{path}", encoded=True), **options) as found:
        return Response(found.status, found.headers, await found.read())


def exchange(handle, *requests, at=None, **options) -> list[Response]:
    """Have a client make requests through a relay to a server, one after the other: messages, or options of `fetch`."""
    found: list[Response] = []

    async def test():
        async with proxied(handle, at, **options) as (client, _, address):
            for one in requests:
                asked = {"message": one} if "jsonrpc" in one else one
                found.append(await fetch(client, address, **asked))

    run(test)
    return found


class Last(bytes):
    """What a server says before it closes the connection."""


class Server:
    """Says the bytes that it is told to, one text a request."""

    def __init__(self, *says):
        self.says = list(says)
        self.heard: list[bytes] = []
        self.connections = 0

    async def __call__(self, reader, writer):
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                self.heard.append(head + await reader.readexactly(length))
                said = self.says.pop(0)
                writer.write(said)
                if isinstance(said, Last):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def listening(server):
    async with await asyncio.start_server(server, "127.0.0.1", 0) as served:
        yield f"http://127.0.0.1:{served.sockets[0].getsockname()[1]}"


async def connected(address):
    return await asyncio.open_connection(*address.removeprefix("http://").split(":"))


@asynccontextmanager
async def wired(server, **options):
    """Run a relay in front of a server that says bytes, and give a connection to it as bytes."""
    async with listening(server) as upstream, proxied_to(upstream, **options) as (_, _, address):
        reader, writer = await connected(address)
        yield reader, writer
        writer.close()


async def posted(reader, writer, body=b"{}", headers=b"") -> tuple[bytes, bytes]:
    """Post a body; return the head and the body of the answer, which says its length."""
    writer.write(HEAD + headers + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return head, await reader.readexactly(int(length[1]) if length else 0)


@asynccontextmanager
async def proxy_of(upstream, folder, *options):
    """Run a proxy as a process; give its address and its process."""
    contracts().save(folder / "contracts.json")
    command = [sys.executable, "-m", "outcome_monitors", "proxy", *PATIENT]
    command += ["--contracts", str(folder / "contracts.json"), "--events", str(folder / "e.jsonl")]
    command += ["--upstream", f"{upstream}/mcp", "--listen", "127.0.0.1:0", *options]
    process = await asyncio.create_subprocess_exec(*command, stderr=subprocess.PIPE)
    assert process.stderr is not None
    found = None
    while found is None:
        said = (await process.stderr.readline()).decode()
        assert said, "it has ended"
        found = re.search(r"served at (\S+)", said)
    try:
        yield found[1], process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()
