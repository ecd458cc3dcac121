"""The server behind the proxy over HTTP: what passes to it and back, and connections that it closes at the wrong moment."""

import asyncio
import re

import pytest

pytest.importorskip("aiohttp")

from aiohttp import ClientError
from multidict import CIMultiDict

from outcome_monitors.mcp import http_upstream
from outcome_monitors.mcp.http_upstream import UnreachableError, Upstream
from tests.mcp.http_parts import OK, Last, Server, fetch, listening, posted, proxied_to, run, wired
from tests.mcp.wire import BAD, answer, call, line

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"


async def request(upstream, method="POST", data=b"{}", **headers):
    found = await upstream.ask(method, "/mcp", CIMultiDict({"X-A": "1", **headers}), data)
    return await found.read()


def with_upstream(server, test, change=lambda address: address):
    async def whole():
        async with listening(server) as address:
            upstream = Upstream(f"{change(address)}/mcp")
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


def test_a_call_on_a_kept_connection_that_was_closed_meanwhile_is_made_on_another():
    server = Server(Last(OK), OK)

    async def test(upstream):
        await request(upstream)
        await asyncio.sleep(0.05)
        assert await request(upstream) == b"hi"

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


def test_redirects_and_compressed_bodies_are_left_to_the_client():
    async def test():
        first = b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"
        packed = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n\x1f\x8b"
        async with wired(Server(first, packed)) as (reader, writer):
            head, _ = await posted(reader, writer)
            assert head.startswith(b"HTTP/1.1 302 Found\r\nLocation: /other\r\n")
            assert (await posted(reader, writer))[1] == b"\x1f\x8b"

    run(test)


def test_the_proxy_that_the_environment_names_is_used_and_never_for_this_machine(monkeypatch):
    async def test():
        between, server = Server(OK), Server(OK)
        async with listening(between) as address, listening(server) as straight:
            monkeypatch.setenv("http_proxy", address.replace("//", "//me:pw@"))
            monkeypatch.delenv("no_proxy", raising=False)
            for upstream in (Upstream("http://tools.example:8000/mcp"), Upstream(f"{straight}/mcp")):
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


def test_a_connection_idle_for_long_is_not_used_again(monkeypatch):
    monkeypatch.setattr(http_upstream, "IDLE", 0.0)
    server = Server(OK, OK)

    async def test(upstream):
        await request(upstream)
        await asyncio.sleep(0.01)
        await request(upstream)

    with_upstream(server, test)
    assert server.connections == 2
