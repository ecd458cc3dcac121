"""The proxy over HTTP as a process: what is large, and a server that hangs or dies."""

import asyncio
import json
import signal

import pytest

pytest.importorskip("aiohttp")

from aiohttp import ClientError, ClientSession, web

from tests.mcp.http_parts import proxy_of, run, serving
from tests.mcp.wire import BAD, GOOD, PATIENCE, answer, call, peak_memory

MIB = 2**20


async def handle(request):
    message = await request.json()
    asked = message["params"]["arguments"]["id"]
    if asked == "large":
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        response.content_length = 100 * MIB
        await response.prepare(request)
        await response.write(b'{"jsonrpc": "2.0", "id": 1, "result": "'.ljust(MIB))
        for _ in range(99):
            await response.write(b"x" * MIB)
        return response
    if asked == "hang":
        await asyncio.sleep(60)
    if asked == "die":
        request.transport.abort()
    return web.json_response(answer(message["id"], BAD if asked == "bad" else GOOD))


def test_what_is_large_passes_in_little_memory_and_what_hangs_or_dies_alone(tmp_path):
    async def test():
        async with (
            serving(handle) as upstream,
            proxy_of(upstream, tmp_path, "--drain", "0.1") as (address, process),
            ClientSession() as client,
        ):
            hanging = asyncio.create_task(client.post(address, json=call(0, id="hang")).__aenter__())
            async with client.post(address, json=call(1, id="large")) as found:
                size = 0
                async for chunk in found.content.iter_any():
                    size += len(chunk)
                assert size == 100 * MIB
            async with client.post(address, json=call(2, id="die")) as found:
                assert found.status == 502
            for number in range(20):
                async with client.post(address, json=call(number, id="bad" if number % 2 else "W1")) as found:
                    assert len((await found.json())["result"]["content"]) == 1 + number % 2
            assert not hanging.done()
            assert peak_memory(process.pid) < 100 * MIB
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), PATIENCE) == 0
            with pytest.raises(ClientError):
                await hanging
        outcomes = [json.loads(event)["outcome"] for event in (tmp_path / "e.jsonl").read_text().splitlines()]
        assert sorted(outcomes) == ["clean"] * 10 + ["flagged"] * 10 + ["not_checked"]

    run(test)
