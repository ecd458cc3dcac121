"""A request whose head has come before goes the short way, and nobody can tell."""

import asyncio
import json
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

pytest.importorskip("aiohttp")
pytest.importorskip("httptools")

from aiohttp import web
from outcome_monitors.proxy.http_shortcut import MOST_HEADS, KnownHead, Shortcuts, parted

from outcome_monitors.proxy.http_relay import Relay
from outcome_monitors.proxy.http_server import Clients
from outcome_monitors.proxy.request_guard import RequestGuard
from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import Kept
from tests.proxy.wire import BAD, GOOD, PATIENCE, answer, call, desk

HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Odd: \xff\r\n"
JSON = b"HTTP/1.1 200 Fine\r\nContent-Type: application/json\r\nX-Odd: \xff\r\nContent-Length: %d\r\n\r\n%b"
TOLD = json.dumps(answer(7, GOOD)).encode()
FLAGGED = json.dumps(answer(7, BAD)).encode()
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"
EVENT = b"data: " + FLAGGED + b"\n\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n"
ANSWERS = {
    "clean": [JSON % (len(TOLD), TOLD)],
    "flagged": [JSON % (len(FLAGGED), FLAGGED)],
    "in parts": [JSON[:40], JSON[40:] % (len(FLAGGED), FLAGGED[:50]), FLAGGED[50:]],
    "in chunks": [CHUNKED % (len(FLAGGED), FLAGGED)],
    "a stream": [STREAM % (len(EVENT), EVENT)],
    "no body": [b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"],
    "nothing": [b"HTTP/1.1 204 No Content\r\n\r\n"],
    "an error": [b"HTTP/1.1 500 Oh\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno"],
}
BODY = json.dumps(call(7)).encode()


class Server:
    """Says what it is told, part by part, and keeps what it hears."""

    def __init__(self, *says):
        self.says, self.heard, self.left, self.asked = says, [], asyncio.Event(), asyncio.Event()
        self.writers = []

    async def handle(self, reader, writer):
        self.writers.append(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                self.heard.append(await request_of(reader))
                self.asked.set()
                for part in self.says:
                    writer.write(part)
                    await asyncio.sleep(0.01 if len(self.says) > 1 else 0)
        self.left.set()
        writer.close()


class Leaving(Server):
    """Leaves behind the second answer."""

    async def handle(self, reader, writer):
        for _ in range(2):
            await request_of(reader)
            writer.write(self.says[0])
        writer.close()


async def request_of(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
    return head, await reader.readexactly(size)


class Way:
    """A proxy before a server, and a client; how many calls went the short way is counted."""

    def __init__(self, relay):
        self.relay, self.short, self._begin = relay, 0, relay.begin
        self.reader: Any = None
        self.writer: Any = None
        relay.shortcuts.begin = self.begin

    def begin(self, client, known, body):
        begun = self._begin(client, known, body)
        self.short += begun is not None
        return begun

    async def ask(self, *parts, pause=0.0):
        for part in parts:
            self.writer.write(part)
            await asyncio.sleep(pause)
        return await self.heard()

    async def heard(self):
        head = await self.reader.readuntil(b"\r\n\r\n")
        if b"chunked" in head:
            return head, await self.reader.readuntil(b"0\r\n\r\n")
        size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        return head, await self.reader.readexactly(size)


@asynccontextmanager
async def proxied(server, sink=None, **options):
    upstream = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{upstream.sockets[0].getsockname()[1]}/mcp"
    way = Way(Relay(desk(sink), address, **options))
    runner = web.ServerRunner(Clients(way.relay.handle, PATIENCE, way.relay.shortcuts), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    way.reader, way.writer = await asyncio.open_connection("127.0.0.1", runner.addresses[0][1])
    try:
        yield way
    finally:
        way.writer.close()
        await runner.cleanup()
        way.relay.close()
        upstream.close()
        for writer in server.writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()


def run(test):
    asyncio.run(asyncio.wait_for(test(), PATIENCE))


def plain(body=BODY, head=HEAD):
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize("says", ANSWERS)
def test_the_same_bytes_come_back_by_both_ways(says):
    async def test():
        server, kept = Server(*ANSWERS[says]), Kept()
        async with proxied(server, kept) as way:
            answers = [await way.ask(plain()) for _ in range(4)]
            assert way.short == 3
            assert answers == answers[:1] * 4
            assert server.heard == server.heard[:1] * 4
            assert (KEY.encode() in answers[0][1]) == (
                FLAGGED in b"".join(ANSWERS[says]) or says == "in parts"
            )
        assert len({(event.outcome, event.advised) for event in kept.events}) <= 1

    run(test)


def test_another_length_is_no_other_head_and_another_byte_is():
    async def test():
        async with proxied(Server(*ANSWERS["clean"])) as way:
            for body in (BODY, BODY + b" ", BODY + b" " * 900):
                await way.ask(plain(body))
            assert way.short == 2
            await way.ask(plain(head=HEAD + b"X-More: 1\r\n"))
            assert way.short == 2

    run(test)


@pytest.mark.parametrize("pause", [0.01, 0.2])
def test_a_body_that_comes_later_goes_either_way(pause):
    """Within a moment it goes the short way, else the long one; and so does the next."""

    async def test():
        async with proxied(Server(*ANSWERS["clean"])) as way:
            request = plain()
            await way.ask(request)
            split = len(request) - len(BODY)
            answers = [await way.ask(request[:split], request[split:], pause=pause), await way.ask(request)]
            assert answers[0] == answers[1]
            assert way.short >= 1

    run(test)


def test_requests_in_one_piece_are_answered_in_order():
    async def test():
        server = Server(*ANSWERS["clean"])
        async with proxied(server) as way:
            first = await way.ask(plain())
            assert await way.ask(plain() + plain(BODY + b"  ") + plain()) == first
            assert [await way.heard(), await way.heard()] == [first, first]
            assert [len(body) - len(BODY) for _, body in server.heard] == [0, 0, 2, 0]

    run(test)


def test_what_comes_before_the_answer_waits_for_it():
    async def test():
        server = Server(*ANSWERS["in parts"])
        async with proxied(server) as way:
            first = await way.ask(plain())
            assert await way.ask(plain(), plain(BODY + b"  "), pause=0.005) == first
            assert await way.heard() == first
            assert [len(body) - len(BODY) for _, body in server.heard] == [0, 0, 2]

    run(test)


def test_a_client_that_leaves_is_no_longer_worked_for():
    async def test():
        server = Server(*ANSWERS["clean"])
        async with proxied(server) as way:
            await way.ask(plain())
            server.says = ()
            server.asked.clear()
            way.writer.write(plain())
            await server.asked.wait()
            assert way.short == 1
            way.writer.close()
            await server.left.wait()

    run(test)


@pytest.mark.parametrize(
    "says", [b"", b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"]
)
def test_a_server_that_leaves_is_told_as_ever(says):
    async def test():
        server = Leaving(*ANSWERS["clean"])
        async with proxied(server) as way:
            await way.ask(plain())
            server.says = (says,)
            if says:
                with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
                    await way.ask(plain())
            else:
                head, body = await way.ask(plain())
                assert head.startswith(b"HTTP/1.1 502 ")
                assert b"cannot be reached" in body
            assert way.short == 1

    run(test)


def test_a_head_that_is_refused_or_odd_is_not_remembered():
    async def test():
        doors = RequestGuard(token="a" * 16)
        async with proxied(Server(*ANSWERS["clean"]), doors=doors) as way:
            for _ in range(3):
                head, _ = await way.ask(plain())
                assert head.startswith(b"HTTP/1.1 401 ")
            allowed = plain(head=HEAD + b"Authorization: Bearer " + b"a" * 16 + b"\r\n")
            for _ in range(3):
                head, _ = await way.ask(allowed)
                assert head.startswith(b"HTTP/1.1 200 ")
            assert way.short == 2
            for _ in range(3):
                await way.ask(
                    plain(head=HEAD + b"Expect: 100-continue\r\nAuthorization: Bearer " + b"a" * 16 + b"\r\n")
                )
                await way.heard()
            assert way.short == 2

    run(test)


def test_what_may_be_a_plain_request_is_parted():
    found = parted(plain(b"{}") + b"more")
    assert found is not None
    assert (found.size, plain(b"{}")[found.body :]) == (2, b"{}")
    assert [found.pattern] == [other.pattern for other in (parted(plain(b"{} ")),) if other]
    for other in (
        b"GET / HTTP/1.1\r\n\r\n",
        HEAD,
        HEAD + b"\r\n",
        b"POST / HTTP/1.1\r\nX: " + b"x" * 9000 + b"\r\n\r\n",
    ):
        assert parted(other) is None


def test_heads_are_forgotten_and_two_ways_to_end_a_line_are_none():
    shortcuts = Shortcuts(lambda *_: None)
    known = KnownHead(b"", None)
    for number in range(MOST_HEADS + 1):
        shortcuts.learn(b"%d" % number, known)
    assert shortcuts.find(b"0") is None
    assert shortcuts.find(b"1") is known
    shortcuts.learn(b"a\r\nb\nc", known)
    assert shortcuts.find(b"a\r\nb\nc") is None
