"""Clients that take their time to say what they want are not waited for; those whose server takes its time are."""

import asyncio
import json
import re
from contextlib import asynccontextmanager

import pytest

pytest.importorskip("aiohttp")

from aiohttp import web

from outcome_monitors.proxy import http_clients, http_message, http_relay
from outcome_monitors.proxy.http_relay import Relay
from outcome_monitors.proxy.http_server import Clients
from tests.proxy.test_http_relay import serving
from tests.proxy.wire import GOOD, PATIENCE, answer, call, desk

WAIT = 0.2
HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


async def slow_answer(request):
    message = await request.json()
    await asyncio.sleep(2 * WAIT)
    return web.json_response(answer(message["id"], GOOD))


@asynccontextmanager
async def connected(upstream, slowest_head=WAIT):
    """Give a connection to a proxy."""
    relay = Relay(desk(), f"{upstream}/mcp")
    runner = web.ServerRunner(Clients(relay.handle, slowest_head, relay.shortcuts), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    reader, writer = await asyncio.open_connection("127.0.0.1", runner.addresses[0][1])
    try:
        yield reader, writer
    finally:
        writer.close()
        await runner.cleanup()
        relay.close()


def run(test):
    asyncio.run(asyncio.wait_for(test(), PATIENCE))


async def ended(reader):
    """Return what still comes until the connection is closed."""
    try:
        return await reader.read()
    except ConnectionError:
        return b""


@pytest.mark.parametrize("said", [b"", b"P", HEAD])
def test_a_head_that_does_not_come_to_its_end_is_not_waited_for(said):
    async def test():
        async with serving(slow_answer) as upstream, connected(upstream) as (reader, writer):
            writer.write(said)
            assert await ended(reader) == b""

    run(test)


def test_a_head_that_comes_byte_by_byte_has_no_longer():
    async def test():
        async with serving(slow_answer) as upstream, connected(upstream) as (reader, writer):

            async def drip():
                while True:
                    writer.write(b"x-a: b\r\n" if writer.transport.get_write_buffer_size() == 0 else b"")
                    await asyncio.sleep(WAIT / 20)

            writer.write(HEAD)
            dripping = asyncio.create_task(drip())
            assert await ended(reader) == b""
            dripping.cancel()

    run(test)


def test_a_request_that_came_is_answered_however_long_the_server_takes():
    async def test():
        async with serving(slow_answer) as upstream, connected(upstream) as (reader, writer):
            body = json.dumps(call(7)).encode()
            for _ in range(2):
                writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
                said = await reader.readuntil(b"\r\n\r\n")
                assert said.startswith(b"HTTP/1.1 200 ")
                size = int(re.findall(rb"Content-Length: (\d+)", said)[0])
                assert json.loads(await reader.readexactly(size))["id"] == 7

    run(test)


@pytest.mark.parametrize("size", [100, 2**24])
def test_a_body_of_which_nothing_more_comes_is_not_waited_for(monkeypatch, size):
    """Whether it is held until it is whole, or passed on as it comes."""
    monkeypatch.setattr(http_message, "SLOWEST_PART", WAIT)

    async def test():
        async with serving(slow_answer) as upstream, connected(upstream) as (reader, writer):
            writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % size + b"x" * (size // 2))
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 408 ")

    run(test)


def test_that_a_server_is_away_is_logged_once_a_while(monkeypatch, caplog):
    """Each of many clients finds it out; a log that nobody reads must not come to hold up what passes."""

    async def test():
        async with connected("http://127.0.0.1:9", PATIENCE) as (reader, writer):
            for _ in range(5):
                writer.write(HEAD + b"Content-Length: 2\r\n\r\n{}")
                said = await reader.readuntil(b"\r\n\r\n")
                assert said.startswith(b"HTTP/1.1 502 ")
                await reader.readexactly(int(re.findall(rb"Content-Length: (\d+)", said)[0]))

    run(test)
    assert len([record for record in caplog.records if "cannot be reached" in record.message]) == 1
    monkeypatch.setattr(http_relay, "BETWEEN_WARNINGS", 0.0)
    caplog.clear()
    run(test)
    assert len([record for record in caplog.records if "cannot be reached" in record.message]) == 5


@pytest.mark.parametrize(
    "target",
    [
        b"POST http://evil.example/mcp",
        b"CONNECT evil.example:443",
        b"POST http:evil",
        b"GET ws://evil.example/",
    ],
)
def test_what_is_for_another_address_goes_nowhere(target):
    seen = []

    async def handle(request):
        seen.append(request.raw_path)
        return web.Response()

    async def test():
        async with serving(handle) as upstream, connected(upstream, PATIENCE) as (reader, writer):
            writer.write(target + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
            assert (await reader.readuntil(b"\r\n"))[9:12] == b"400"

    run(test)
    assert seen == []


def test_requests_that_cannot_be_read_are_logged_once_a_while_and_without_what_they_hold(caplog):
    async def test():
        for _ in range(5):
            async with serving(slow_answer) as upstream, connected(upstream, PATIENCE) as (reader, writer):
                writer.write(b"GET / HTTP/1.1\r\nsecret : \0\r\n\r\n")
                assert (await reader.readuntil(b"\r\n"))[9:12] == b"400"

    http_clients.complaints.last = -http_clients.BETWEEN_COMPLAINTS
    run(test)
    assert len([record for record in caplog.records if "could not be read" in record.message]) == 1
    assert "secret" not in caplog.text
