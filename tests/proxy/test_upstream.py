"""The connections to the server behind the proxy: kept, given up, taken anew; servers that say it in other ways."""

import asyncio
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientError
from outcome_monitors.proxy.http1 import BadAnswerError
from outcome_monitors.proxy.http_message import Body

from outcome_monitors.proxy import upstream as upstream_module
from outcome_monitors.proxy.http_upstream import UnreachableError, Upstream
from tests.proxy.test_http_relay import proxied_to
from tests.proxy.wire import BAD, PATIENCE, answer, call, line

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


class Last(bytes):
    """What a server says before it closes the connection."""


class Server:
    """Says what it is told to, one text a request."""

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
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def listening(server):
    async with await asyncio.start_server(server, "127.0.0.1", 0) as served:
        yield f"http://127.0.0.1:{served.sockets[0].getsockname()[1]}"


async def whole(upstream, method="POST", body=b"{}"):
    found = await upstream.ask(method, "/mcp", [(b"X-A", b"1"), (b"Connection", b"close")], Body(body))
    data = b""
    while part := await found.some():
        data += part
    upstream.back(found)
    return data


def run(test):
    asyncio.run(asyncio.wait_for(test(), PATIENCE))


def test_a_connection_is_kept_for_the_next_request():
    async def test():
        server = Server(*[OK] * 3)
        async with listening(server) as address:
            upstream = Upstream(address.replace("//", "//me:a%2Fb@"))
            assert [await whole(upstream) for _ in range(3)] == [b"hi"] * 3
            upstream.close()
        assert server.connections == 1
        name = address.removeprefix("http://")
        assert (
            server.heard[0]
            == (
                f"POST /mcp HTTP/1.1\r\nHost: {name}\r\nAccept-Encoding: identity\r\nX-A: 1\r\n"
                "Authorization: Basic bWU6YS9i\r\nContent-Length: 2\r\n\r\n{}"
            ).encode()
        )

    run(test)


@pytest.mark.parametrize("name", [b"Accept-Encoding", b"accept-encoding", b"Host", b"Expect", b"TE"])
def test_headers_that_are_between_the_client_and_the_proxy_go_no_further(name):
    async def test():
        server = Server(OK)
        async with listening(server) as address:
            upstream = Upstream(address)
            upstream.back(await upstream.ask("POST", "/mcp", [(name, b"gzip"), (b"X-A", b"1")], Body(b"{}")))
            upstream.close()
        assert b"gzip" not in server.heard[0]
        assert b"\r\nAccept-Encoding: identity\r\nX-A: 1\r\n" in server.heard[0]

    run(test)


@pytest.mark.parametrize(
    "says", [b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi", OK + b"x"]
)
def test_one_that_cannot_be_kept_is_not(says):
    async def test():
        server = Server(says, OK)
        async with listening(server) as address:
            upstream = Upstream(address)
            assert [await whole(upstream) for _ in range(2)] == [b"hi"] * 2
            upstream.close()
        assert server.connections == 2

    run(test)


def test_what_nobody_took_is_not_the_next_ones_answer():
    async def test():
        server = Server(OK, OK.replace(b"hi", b"ho"))
        async with listening(server) as address:
            upstream = Upstream(address)
            upstream.back(await upstream.ask("POST", "/mcp", [], Body(b"{}")))
            assert await whole(upstream) == b"ho"
            upstream.close()

    run(test)


def test_one_that_was_idle_for_long_is_not_used_again(monkeypatch):
    async def test():
        server = Server(OK, OK)
        async with listening(server) as address:
            upstream = Upstream(address)
            await whole(upstream)
            monkeypatch.setattr(upstream_module, "IDLE", -1.0)
            await whole(upstream)
            upstream.close()
        assert server.connections == 2

    run(test)


def test_a_call_is_never_sent_twice_and_a_question_may_be():
    """The server closes the connection instead of answering: it may have done what it was asked to."""

    async def test():
        server = Server(OK, Last(), OK, Last(), OK)
        async with listening(server) as address:
            upstream = Upstream(address)
            await whole(upstream)
            with pytest.raises(UnreachableError, match="closed before an answer"):
                await whole(upstream)
            await whole(upstream)
            assert await whole(upstream, "GET", b"") == b"hi"
            upstream.close()
        assert [heard.split()[0] for heard in server.heard] == [b"POST", b"POST", b"POST", b"GET", b"GET"]

    run(test)


def test_an_answer_that_breaks_off_is_told_to_have():
    async def test():
        server = Server(Last(b"HTTP/1.1 200 OK\r\n\r\nto the end"))
        async with listening(server) as address:
            upstream = Upstream(address)
            assert await whole(upstream) == b"to the end"
        server = Server(Last(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"))
        async with listening(server) as address:
            found = await Upstream(address).ask("GET", "/", [])
            assert await found.some() == b"ab"
            with pytest.raises(BadAnswerError, match="in the middle"):
                await found.some()

    run(test)


def test_through_the_proxy_a_receipt_is_put_in_however_the_answer_is_framed():
    body = line(answer(1, BAD))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"
    says = [
        head + b"Content-Length: %d\r\n\r\n" % len(body) + body,
        head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks,
        Last(head + b"\r\n" + body),
    ]

    async def test():
        server = Server(*says, Last(b"no HTTP"), Last(head + b"Content-Length: 999\r\n\r\n{"))
        async with listening(server) as upstream, proxied_to(upstream) as (client, _, address):
            for _ in says:
                async with client.post(f"{address}/mcp", json=call(1)) as found:
                    assert len((await found.json())["result"]["content"]) == 2
            async with client.post(
                f"{address}/mcp", json=call(1), headers={"Expect": "100-continue"}
            ) as found:
                assert found.status == 502
            with pytest.raises(ClientError):
                async with client.post(f"{address}/mcp", json=call(1)) as found:
                    await found.read()

    run(test)
