"""A proxy that is told to stop: calls under way come to their end, up to a bound, and what was seen is written."""

import asyncio
import json
import os
import re
import signal
from contextlib import asynccontextmanager

import pytest

pytest.importorskip("aiohttp")

from aiohttp import ClientError, ClientSession, web

from tests.mcp.http_parts import proxy_of, run, serving
from tests.mcp.wire import BAD, GOOD, PATIENCE, TOLD, Proxy, answer, call, free_port

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")

SLOW = """
held = []
for message in requests():
    if message["params"]["arguments"]["id"] == "slow": held.append(message)
    else: say(answer(message))
    if message["params"]["arguments"]["id"] == "release":
        for one in held: say(answer(one))
"""
"""Answers a slow call when another one releases it."""
LONG = str(PATIENCE)


class Shop:
    """A server behind HTTP whose calls are answered when it is let go on."""

    def __init__(self):
        self.asked, self.goes_on = asyncio.Event(), asyncio.Event()

    async def handle(self, request):
        message = await request.json()
        self.asked.set()
        await self.goes_on.wait()
        bad = message["params"]["arguments"]["id"] == "bad"
        return web.json_response(answer(message["id"], BAD if bad else GOOD))


@asynccontextmanager
async def draining(folder, *options):
    """Have a proxy be told to stop while a call is under way; give the shop, the call, the process and both addresses."""
    shop, status = Shop(), f"http://127.0.0.1:{free_port()}"
    async with (
        serving(shop.handle) as upstream,
        proxy_of(upstream, folder, "--status", status.removeprefix("http://"), *options) as (
            address,
            process,
        ),
        ClientSession() as client,
    ):
        under_way = asyncio.create_task(client.post(address, json=call(1, id="bad")).__aenter__())
        await shop.asked.wait()
        process.send_signal(signal.SIGTERM)
        yield shop, under_way, process, address, status


async def probed(address):
    async with ClientSession() as client, client.get(address) as found:
        return found.status, await found.text()


async def until(wanted, address):
    """Wait for an answer; who calls this says for how long."""
    while (found := await probed(address))[0] != wanted:  # noqa: ASYNC110 - another process answers
        await asyncio.sleep(0.02)
    return found


def outcomes(folder):
    return [json.loads(line)["outcome"] for line in (folder / "e.jsonl").read_text().splitlines()]


def test_over_http_a_call_under_way_is_answered_and_nobody_new_comes_in(tmp_path):
    async def test():
        async with draining(tmp_path, "--drain", LONG) as (shop, under_way, process, address, status):
            assert await until(503, f"{status}/readyz") == (503, "not ready: it is about to end\n")
            assert (await probed(f"{status}/healthz"))[0] == 200
            with pytest.raises(ClientError):
                await probed(re.sub("/mcp$", "/readyz", address))
            shop.goes_on.set()
            found = await under_way
            assert TOLD in await found.text()
            assert await process.wait() == 0
        assert outcomes(tmp_path) == ["flagged"]

    run(test)


def test_on_stdio_a_call_under_way_is_answered(tmp_path):
    with Proxy(tmp_path, SLOW, "--drain", LONG) as proxy:
        proxy.say(call(1, id="slow", total=-1.0), call(2, id="W1"))
        assert proxy.hear()["id"] == 2
        proxy.process.send_signal(signal.SIGTERM)
        assert proxy.process.stderr is not None
        assert b"told to stop: 1 under way" in proxy.process.stderr.readline()
        # What a call under way may need is still passed on.
        proxy.say(call(3, id="release"))
        assert [proxy.hear()["id"] for _ in range(2)] == [3, 1]
        assert proxy.process.wait(PATIENCE) == 0
    assert sorted(proxy.outcomes) == ["clean", "clean", "flagged"]


@pytest.mark.parametrize("signals", [1, 2])
def test_on_stdio_a_call_is_broken_off_at_the_bound_or_by_a_second_signal(tmp_path, signals):
    with Proxy(tmp_path, SLOW, "--drain", "0.1" if signals == 1 else LONG) as proxy:
        proxy.say(call(1, id="slow"), call(2, id="W1"))
        assert proxy.hear()["id"] == 2
        assert proxy.process.stderr is not None
        proxy.process.send_signal(signal.SIGTERM)
        assert b"told to stop: 1 under way" in proxy.process.stderr.readline()
        if signals == 2:
            proxy.process.send_signal(signal.SIGTERM)
        assert proxy.process.wait(PATIENCE) == 0
        assert b"1 under way broken off" in proxy.process.stderr.read()
    assert proxy.outcomes == ["clean"]
