"""What passes over HTTP passes as it came: bytes of headers, long bodies as streams, nothing that is of one connection alone."""

import asyncio
import os
import re
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("aiohttp")
pytest.importorskip("httptools")

from outcome_monitors.proxy import routes
from outcome_monitors.proxy.http_upstream import Upstream
from outcome_monitors.proxy.request_guard import is_local
from tests.proxy.test_http_relay import proxied_to
from tests.proxy.test_upstream import Last, Server, listening
from tests.proxy.wire import PATIENCE, desk

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


def run(test):
    asyncio.run(asyncio.wait_for(test(), PATIENCE))


@asynccontextmanager
async def wired(server, **options):
    """Run a relay in front of a server that says bytes, and give a connection to it as bytes."""
    async with listening(server) as upstream, proxied_to(upstream, **options) as (_, _, address):
        reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
        yield reader, writer
        writer.close()


async def asked(reader, writer, body=b"{}", headers=b"") -> tuple[bytes, bytes]:
    """Post a body; return the head and the body of the answer, which says its length."""
    writer.write(
        b"POST /mcp HTTP/1.1\r\nHost: x\r\n%bContent-Length: %d\r\n\r\n" % (headers, len(body)) + body
    )
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return head, await reader.readexactly(int(length[1]) if length else 0)


def test_bytes_of_headers_pass_both_ways_and_none_is_added():
    async def test():
        answer = b"HTTP/1.1 299 caf\xe9\r\nX-a: caf\xe9 \xff\r\nx-A: \xc3\xa9\r\nContent-Length: 2\r\n\r\nhi"
        server = Server(answer)
        async with wired(server) as (reader, writer):
            head, body = await asked(reader, writer, headers=b"X-b: caf\xe9 \xfe\r\n")
        assert b"\r\nX-b: caf\xe9 \xfe\r\n" in server.heard[0]
        assert (head, body) == (answer[:-2], b"hi")

    run(test)


def test_what_connection_names_goes_no_further_either_way():
    async def test():
        says = OK.replace(b"\r\n\r\n", b"\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nX-Stays: 1\r\n\r\n")
        server = Server(says)
        async with wired(server) as (reader, writer):
            head, _ = await asked(
                reader, writer, headers=b"Connection: keep-alive, x-own\r\nX-Own: 1\r\nX-B: 1\r\n"
            )
        assert b"X-Own" not in server.heard[0]
        assert b"X-B: 1" in server.heard[0]
        assert b"X-Hop" not in head
        assert b"X-Stays: 1" in head

    run(test)


@pytest.mark.parametrize(
    "says",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b" " * 1600 + b"\0\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 4300 + b"\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" * 200_000 + OK,
    ],
    ids=["a length beside chunks", "spaces and a NUL", "a long length", "hints without end"],
)
def test_an_answer_that_could_be_taken_for_another_is_refused_and_the_next_is_not(says):
    async def test():
        server = Server(Last(says), OK)
        async with wired(server) as (reader, writer):
            head, _ = await asked(reader, writer)
            assert head.startswith(b"HTTP/1.1 502 ")
            assert await asked(reader, writer) == (OK[:-2], b"hi")

    run(test)


@pytest.mark.parametrize("sized", [True, False])
def test_a_long_request_passes_as_it_comes(sized):
    """Of 64 MB the proxy holds little: the server has had the first half before the client sends the second."""
    part, half = b"x" * 2**20, 32
    got = [0]
    first = asyncio.Event()

    async def serve(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        assert (b"content-length" in head.lower()) == sized
        while got[0] < 2 * half * len(part):
            got[0] += len(await reader.read(2**18))
            if got[0] > half * len(part) - 2**21:
                first.set()
        writer.write(OK)
        await writer.drain()
        writer.close()

    def framed(data):
        return data if sized else b"%x\r\n%b\r\n" % (len(data), data)

    async def test():
        at = desk()
        at.budget.largest = 10_000
        async with wired(serve, at=at) as (reader, writer):
            size = b"Content-Length: %d" % (2 * half * len(part)) if sized else b"Transfer-Encoding: chunked"
            writer.write(b"POST /mcp HTTP/1.1\r\nHost: x\r\n" + size + b"\r\n\r\n")
            for _ in range(half):
                writer.write(framed(part))
                await writer.drain()
            await first.wait()
            before = peak_memory()
            for _ in range(half):
                writer.write(framed(part))
                await writer.drain()
            writer.write(b"" if sized else b"0\r\n\r\n")
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK")
        assert peak_memory() - before < 16 * 2**20

    run(test)


def peak_memory() -> int:
    status = Path(f"/proc/{os.getpid()}/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) * 1024 if found else 0


def test_a_server_that_answers_before_it_has_all_is_heard():
    async def serve(reader, writer):
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            while await reader.read(2**16):
                pass
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def test():
        at = desk()
        at.budget.largest = 1000
        async with wired(serve, at=at) as (reader, writer):
            writer.write(b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n" + b"x" * 5000)
            await asyncio.sleep(0.05)
            for _ in range(3):
                writer.write(b"x" * 5000)
                await asyncio.sleep(0.05)
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 413 ")

    run(test)


def test_redirects_cookies_and_packed_bodies_are_the_clients_affair():
    async def test():
        first = b"HTTP/1.1 302 Found\r\nLocation: /other\r\nSet-Cookie: a=1\r\nContent-Length: 0\r\n\r\n"
        packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b"
        server = Server(first, packed)
        async with wired(server) as (reader, writer):
            assert await asked(reader, writer) == (
                first.replace(b"Content-Length: 0\r\n", b"")[:-2] + b"Content-Length: 0\r\n\r\n",
                b"",
            )
            assert (await asked(reader, writer))[1] == b"\x1f\x8b"
        assert b"ookie" not in server.heard[1]

    run(test)


def test_a_client_of_http_1_0_hears_an_answer_without_chunks():
    async def test():
        says = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
        async with wired(Server(says)) as (reader, writer):
            writer.write(b"GET /mcp HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n")
            assert await reader.read() == b"HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nhi"

    run(test)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("localhost", True),
        ("LOCALHOST.", True),
        ("a.localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0:0:0:0:0:0:0:1", True),
        ("10.0.0.1", False),
        ("localhost.example.com", False),
        ("0.0.0.0", False),
        ("", False),
    ],
)
def test_an_address_of_this_machine_in_any_spelling(host, local):
    assert is_local(host) == local


def test_the_proxy_that_the_environment_names_is_used_and_never_for_this_machine(monkeypatch):
    async def test():
        between = Server(OK)
        async with listening(between) as address:
            monkeypatch.setenv("http_proxy", address.replace("//", "//me:pw@"))
            monkeypatch.delenv("no_proxy", raising=False)
            upstream = Upstream("http://tools.example:8000/mcp")
            upstream.back(await upstream.ask("GET", "/mcp?a=1", []))
            upstream.close()
            assert (
                b"GET http://tools.example:8000/mcp?a=1 HTTP/1.1\r\nHost: tools.example:8000\r\n"
                in between.heard[0]
            )
            assert b"Proxy-Authorization: Basic bWU6cHc=\r\n" in between.heard[0]
            server = Server(OK)
            async with listening(server) as straight:
                direct = Upstream(straight)
                direct.back(await direct.ask("GET", "/mcp", []))
                direct.close()
            assert server.heard[0].startswith(b"GET /mcp HTTP/1.1\r\n")
            monkeypatch.setenv("no_proxy", "tools.example")
            assert routes.route_to(urlsplit("http://tools.example/")).host == "tools.example"

    run(test)


def test_through_a_proxy_a_private_server_is_spoken_to_itself(monkeypatch):
    async def test():
        between = Server(Last(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"))
        async with listening(between) as address:
            monkeypatch.setenv("https_proxy", address)
            monkeypatch.delenv("no_proxy", raising=False)
            with pytest.raises(Exception, match="the proxy on the way answers 407"):
                await Upstream("https://tools.example/mcp").ask("GET", "/mcp", [])
        assert between.heard == [b"CONNECT tools.example:443 HTTP/1.1\r\nHost: tools.example:443\r\n\r\n"]

    run(test)
