"""The server behind the proxy over HTTP: what passes to it and back, and connections that it closes at the wrong moment."""

import asyncio
import os
import re
import select
import socket
import threading
import time

import pytest

pytest.importorskip("aiohttp")

from aiohttp import ClientError
from multidict import CIMultiDict

from outcome_monitors.mcp import http_upstream
from outcome_monitors.mcp.http_upstream import UnreachableError, Upstream
from tests.mcp.http_parts import OK, Last, Server, fetch, listening, posted, proxied_to, run, wired
from tests.mcp.wire import BAD, answer, call, context, line, peak_memory

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"


async def request(upstream, method="POST", data=b"{}", **headers):
    found = await upstream.ask(method, "/mcp", CIMultiDict({"X-A": "1", **headers}), data)
    return await found.read()


def with_upstream(server, test, change=lambda address: address):
    async def whole():
        async with listening(server) as address:
            upstream = Upstream(change(address))
            try:
                await test(upstream)
            finally:
                await upstream.close()

    run(whole)


def test_a_connection_is_kept_and_a_request_says_what_the_client_said():
    server = Server(*[OK] * 3)

    async def test(upstream):
        headers = {"Accept-Encoding": "gzip", "Host": "gzip", "Expect": "gzip"}
        assert [await request(upstream, **headers) for _ in range(3)] == [b"hi"] * 3
        assert upstream.place[0] == "127.0.0.1"

    with_upstream(server, test, lambda address: address.replace("//", "//me:a%2Fb@"))
    assert server.connections == 1
    head = server.heard[0].decode()
    assert head.startswith("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:")
    assert sorted(head.split("\r\n")[2:]) == [
        "",
        "Accept-Encoding: identity",
        "Authorization: Basic bWU6YS9i",
        "Content-Length: 2",
        "X-A: 1",
        "{}",
    ]


def test_a_call_is_never_made_twice_and_a_question_may_be():
    """The server closes the connection instead of answering: it may have done what it was asked to."""
    server = Server(OK, Last(), OK, Last(), OK)

    async def test(upstream):
        await request(upstream)
        with pytest.raises(UnreachableError, match="disconnected"):
            await request(upstream)
        await request(upstream)
        assert await request(upstream, "GET", None) == b"hi"

    with_upstream(server, test)
    assert [heard.split()[0] for heard in server.heard] == [b"POST", b"POST", b"POST", b"GET", b"GET"]


class ClosingServer(threading.Thread):
    """Answers one request, and closes that kept connection when a test says; the request on the next one it answers, too."""

    def __init__(self, unread=False):
        super().__init__(daemon=True)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "http://127.0.0.1:{1}".format(*self.listener.getsockname())
        self.requests, self.unread, self.closes = 0, unread, threading.Event()
        self.start()

    def run(self):
        first, _ = self.listener.accept()
        with first:
            self._answer(first)
            self.closes.wait()
            if self.unread:
                select.select([first], [], [])
        with self.listener:
            again, _ = self.listener.accept()
            with again:
                self._answer(again)

    def _answer(self, connection):
        said = b""
        while not said.endswith(b"{}"):
            said += connection.recv(2**16)
        self.requests += 1
        connection.sendall(OK)


@pytest.mark.parametrize("when", ["before", "meanwhile", "unread"])
def test_a_call_refused_unread_on_a_kept_connection_is_made_on_another(when):
    """The server closes an idle connection before the call is sent, between choosing it and sending, or with the call unread."""
    server = ClosingServer(unread=when == "unread")

    async def held_up():
        if when == "meanwhile":
            # The connection has been chosen by then, and its end has not been read.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        server.closes.set()
        if when != "unread":
            time.sleep(0.2)  # noqa: ASYNC251 - the loop is held up, and does not see the end of the connection

    async def test():
        upstream = Upstream(server.address)
        assert await request(upstream) == b"hi"
        _, answer = await asyncio.gather(held_up(), request(upstream))
        assert answer == b"hi"
        await upstream.close()

    run(test)
    assert server.requests == 2


def test_a_connection_idle_for_long_is_not_used_again(monkeypatch):
    monkeypatch.setattr(http_upstream, "IDLE", 0.0)
    server = Server(OK, OK)

    async def test(upstream):
        await request(upstream)
        await asyncio.sleep(0.01)
        await request(upstream)

    with_upstream(server, test)
    assert server.connections == 2


def test_a_receipt_is_put_in_however_the_answer_is_framed_and_one_that_breaks_off_does_so():
    body = line(answer(1, BAD))
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"
    says = [
        HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body,
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks,
        Last(HEAD + b"\r\n" + body),
    ]

    async def test():
        server = Server(*says, Last(b"no HTTP"), Last(HEAD + b"Content-Length: 999\r\n\r\n{"))
        async with listening(server) as upstream, proxied_to(upstream) as (client, _, address):
            for _ in says:
                found = await fetch(client, address, call(1))
                assert len(found.message["result"]["content"]) == 2
            assert (await fetch(client, address, call(1))).status == 502
            with pytest.raises(ClientError):
                await fetch(client, address, call(1))

    run(test)


def test_headers_pass_both_ways_but_for_those_of_one_connection():
    async def test():
        more = b"\r\nConnection: X-Hop, keep-alive\r\nX-Hop: 1\r\nx-a: \xc3\xa9\r\nx-a: 2\r\nSet-Cookie: a=1"
        # A byte that is no UTF-8 stops nothing.
        says = OK.replace(b"\r\n\r\n", more + b"\r\nX-c: caf\xe9\r\n\r\n")
        server = Server(says, says)
        async with wired(server) as (reader, writer):
            own = b"Connection: keep-alive, x-own\r\nX-Own: 1\r\nX-B: \xc3\xa9\r\nTE: x\r\nX-d: caf\xe9\r\n"
            head, body = await posted(reader, writer, headers=own)
            await posted(reader, writer)
        assert body == b"hi"
        assert b"X-B: \xc3\xa9\r\n" in server.heard[0]
        assert not re.search(rb"(?i)x-own|te: x|user-agent|accept: ", server.heard[0])
        assert b"x-a: \xc3\xa9\r\nx-a: 2\r\n" in head
        assert b"X-Hop" not in head
        assert b"Set-Cookie: a=1" in head
        assert b"ookie" not in server.heard[1]

    run(test)


def test_a_long_request_passes_as_it_comes():
    """Of 64 MB the proxy holds little: the server has had the first half before the client sends the second."""
    part, half = b"x" * 2**20, 32
    got, first = [0], asyncio.Event()

    async def serve(reader, writer):
        await reader.readuntil(b"\r\n\r\n")
        while got[0] < 2 * half * len(part):
            got[0] += len(await reader.read(2**18))
            if got[0] > half * len(part) - 2**21:
                first.set()
        writer.write(OK)
        await writer.drain()
        writer.close()

    async def test():
        at = context()
        at.limit.largest = 10_000
        async with wired(serve, at=at) as (reader, writer):
            writer.write(
                b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (2 * half * len(part))
            )
            for number in range(2 * half):
                if number == half:
                    await first.wait()
                    before = peak_memory(os.getpid())
                writer.write(part)
                await writer.drain()
            assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 200 OK")
        assert peak_memory(os.getpid()) - before < 16 * 2**20

    run(test)


def test_redirects_and_compressed_bodies_are_left_to_the_client():
    async def test():
        first = b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
        packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b"
        async with wired(Server(first, packed)) as (reader, writer):
            head, _ = await posted(reader, writer)
            assert head.startswith(b"HTTP/1.1 302 Found\r\nLocation: /other\r\n")
            assert (await posted(reader, writer))[1] == b"\x1f\x8b"

    run(test)


def test_a_client_of_http_1_0_gets_an_answer_without_chunks():
    async def test():
        says = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"
        async with wired(Server(says)) as (reader, writer):
            writer.write(b"GET /mcp HTTP/1.0\r\nHost: x\r\nConnection: keep-alive\r\n\r\n")
            said = await reader.read()
            assert said.startswith(b"HTTP/1.0 200 OK\r\n")
            assert said.endswith(b"\r\n\r\nhi")

    run(test)


def test_the_proxy_that_the_environment_names_is_used_and_never_for_this_machine(monkeypatch):
    async def test():
        between, server = Server(OK), Server(OK)
        async with listening(between) as address, listening(server) as straight:
            monkeypatch.setenv("http_proxy", address.replace("//", "//me:pw@"))
            monkeypatch.delenv("no_proxy", raising=False)
            for upstream in (Upstream("http://tools.example:8000/mcp"), Upstream(straight)):
                assert await request(upstream, "GET", None) == b"hi"
                await upstream.close()
            monkeypatch.setenv("no_proxy", "tools.example")
            assert Upstream("http://tools.example/").place == ("tools.example", 80)
        assert between.heard[0].startswith(
            b"GET http://tools.example:8000/mcp HTTP/1.1\r\nHost: tools.example:8000\r\n"
        )
        assert b"Proxy-Authorization: Basic bWU6cHc=\r\n" in between.heard[0]
        assert server.heard[0].startswith(b"GET /mcp HTTP/1.1\r\n")
        assert b"Proxy-Authorization" not in server.heard[0]

    run(test)


def test_through_a_proxy_a_private_server_is_spoken_to_itself(monkeypatch):
    async def test():
        between = Server(Last(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"))
        async with listening(between) as address:
            monkeypatch.setenv("https_proxy", address.replace("//", "//me:pw@"))
            monkeypatch.delenv("no_proxy", raising=False)
            upstream = Upstream("https://tools.example/mcp")
            with pytest.raises(UnreachableError, match="407"):
                await request(upstream, "GET", None)
            await upstream.close()
        [heard] = between.heard
        assert heard.startswith(b"CONNECT tools.example:443 HTTP/1.1\r\nHost: tools.example\r\n")
        assert b"Proxy-Authorization: Basic bWU6cHc=\r\n" in heard

    run(test)
