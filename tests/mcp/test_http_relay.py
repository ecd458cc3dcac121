"""The proxy over HTTP: what is passed on, streams and their resumption, sessions, slow clients, and a server in trouble."""

import asyncio
import importlib
import json
import sys
from contextlib import suppress

import pytest

pytest.importorskip("aiohttp")

from aiohttp import ClientError, web

from outcome_monitors.alerting.policy import this_host
from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError
from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.mcp import http_relay, http_server
from outcome_monitors.mcp.http_server import serve
from outcome_monitors.mcp.settings import ProxySettings
from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import Kept, remembering
from tests.mcp.http_parts import HEAD, Server, connected, exchange, fetch, proxied, proxied_to, run, wired
from tests.mcp.wire import BAD, GOOD, NAMED, TOOLS, answer, call, context, line, lists, result


async def shop(request):
    """Answer a call as its `id` says, and list tools."""
    message = await request.json()
    if message["method"] == "tools/list":
        return web.json_response(answer(message["id"], {"tools": TOOLS}))
    asked = message["params"]["arguments"]["id"]
    return web.json_response(answer(message["id"], BAD if asked == "bad" else GOOD))


async def slow(request):
    await asyncio.sleep(0.4)
    return await shop(request)


def test_requests_and_answers_pass_unmodified():
    async def handle(request):
        seen = [request.method, request.raw_path, request.headers["X-Own"], request.headers["Authorization"]]
        return web.Response(
            status=418,
            body=json.dumps([*seen, (await request.read()).decode("latin1")]).encode(),
            headers={"X-Answer": "yes", "Content-Type": "application/x-odd"},
        )

    own, path = {"X-Own": "1", "Authorization": "Bearer t"}, "/.well-known/a?b=%2F"
    [found] = exchange(handle, {"method": "PUT", "path": path, "headers": own, "data": b"\xff\x00"})
    assert (found.status, found.headers["X-Answer"]) == (418, "yes")
    assert found.headers["Content-Type"] == "application/x-odd"
    assert found.message == ["PUT", path, "1", "Bearer t", "\xff\x00"]


def test_a_violation_gets_a_receipt_and_tools_listed_before_are_known_without_a_session():
    sink = Kept()
    at = context(sink)
    bad, good, listed, again = exchange(
        shop, call(1, id="bad"), call(2, id="W1"), lists(3), call(4, id="bad"), at=at
    )
    assert len(bad.message["result"]["content"]) == 2
    assert good.message == answer(2, GOOD)
    assert KEY in listed.body.decode()
    assert KEY in again.message["result"]["structuredContent"]
    assert [(event.outcome, event.session) for event in sink.events] == [
        ("flagged", None),
        ("clean", None),
        ("flagged", None),
    ]


def test_a_stream_is_passed_on_event_by_event_and_again_after_it_broke():
    """The first stream breaks behind its answer; the client resumes, and gets the same answer with the same receipt."""
    progress = b"id: 1\nevent: message\ndata: " + line({"method": "notifications/progress"}) + b"\n"
    final = b"id: 2\r\ndata: " + line(answer(7, BAD)).strip() + b"\r\n\r\n"
    gate = asyncio.Event()

    async def handle(request):
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        if request.method == "POST":
            await response.write(b": hello\n\n" + progress)
            await gate.wait()
            await response.write(final)
            request.transport.abort()
        else:
            assert request.headers["Last-Event-ID"] == "1"
            await response.write(final)
        return response

    async def test():
        sink, headers = Kept(), {"Mcp-Session-Id": "s1"}
        async with proxied(handle, context(sink)) as (client, _, address):
            async with client.post(f"{address}/mcp", json=call(7), headers=headers) as found:
                heard = b""
                while not heard.endswith(progress):
                    heard += await found.content.readany()
                assert heard == b": hello\n\n" + progress, "at once, byte for byte"
                gate.set()
                first = await found.content.readany()
                with pytest.raises(ClientError):
                    await found.content.read()
            again = await fetch(client, address, method="GET", headers={**headers, "Last-Event-ID": "1"})
        assert again.body == first
        assert again.body.startswith(b"id: 2\r\ndata: {")
        assert again.body.endswith(b"\r\n\r\n")
        assert KEY.encode() in again.body
        assert sink.outcomes == ["flagged"]

    run(test)


def test_sessions_are_told_apart_and_forgotten_when_ended():
    async def handle(request):
        if request.method == "DELETE":
            return web.Response()
        message = await request.json()
        return web.json_response(answer(message["id"], result(message["params"]["arguments"])))

    async def test():
        sink = Kept()
        async with proxied(handle, context(sink, remembering())) as (client, relay, address):

            async def look(session, status):
                headers = {"Mcp-Session-Id": session} if session else {}
                await fetch(client, address, call(1, order_id="W1", status=status), headers=headers)
                return sink.outcomes[-1]

            said = (("a", "sent"), ("b", "paid"), ("a", "paid"), (None, "sent"), (None, "paid"))
            assert [await look(*one) for one in said] == ["clean", "clean", "flagged", "clean", "clean"]
            assert relay.sessions == 2
            await fetch(client, address, method="DELETE", headers={"Mcp-Session-Id": "a"})
            assert relay.sessions == 1
            assert await look("a", "paid") == "clean", "another session of the same name"

    run(test)


def test_a_client_is_recorded_by_where_it_is_not_by_what_it_says_and_its_session_id_is_kept_nowhere(tmp_path):
    async def handle(request):
        message = await request.json()
        headers = {"Mcp-Session-Id": "secret-1"} if message["method"] == "initialize" else {}
        return web.json_response(answer(message["id"], GOOD), headers=headers)

    sink, recorder = Kept(), Recorder(tmp_path / "t.jsonl")
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": NAMED}
    ids = ("secret-1", "secret-1", "secret-2", "caf\u00e9")
    calls = [{"message": call(1), "headers": {"Mcp-Session-Id": one}} for one in ids]
    exchange(handle, hello, *calls, call(1), at=context(sink, recorder=recorder))
    recorder.close()
    text = (tmp_path / "t.jsonl").read_text()
    clients = [json.loads(line)["client"] for line in text.splitlines()]
    assert clients == [this_host()] * 5
    first, again, second, odd, without = (event.session for event in sink.events)
    assert first == again
    assert len({first, second, odd, without}) == 4
    assert "secret" not in text + repr(sink.events)


def test_a_server_that_is_away_is_a_bad_gateway_and_logged_once_a_while(caplog):
    async def test():
        async with proxied_to("http://127.0.0.1:9") as (client, _, address):
            for _ in range(5):
                found = await fetch(client, address, call(1))
                assert (found.status, b"cannot be reached" in found.body) == (502, True)

    run(test)
    assert len([record for record in caplog.records if "cannot be reached" in record.message]) == 1


@pytest.mark.parametrize(
    ("upstream", "listen", "told"),
    [
        ("localhost:8000", "localhost:1", "is not an address"),
        ("http://localhost/mcp", "localhost", "HOST:PORT"),
        ("http://localhost/mcp", "localhost:99999", "HOST:PORT"),
    ],
)
def test_an_address_that_is_none_is_refused(upstream, listen, told):
    with pytest.raises(OutcomeMonitorsError, match=told):
        serve(ProxySettings(learn="x"), upstream, listen)


def test_without_the_extra_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "outcome_monitors.mcp.http_server")
    with pytest.raises(MissingExtra, match=r"pip install 'outcome-monitors\[proxy-http\]'"):
        importlib.import_module("outcome_monitors.mcp.http_server")


@pytest.mark.parametrize("said", [b"", HEAD])
def test_a_head_that_does_not_end_is_not_waited_for_and_a_slow_server_is(monkeypatch, said):
    monkeypatch.setattr(http_server, "SLOWEST_HEAD", 0.2)

    async def test():
        async with proxied(slow) as (client, _, address):
            reader, writer = await connected(address)
            writer.write(said)
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
            for _ in range(2):
                assert (await fetch(client, address, call(7, id="W1"))).message["id"] == 7

    run(test)


@pytest.mark.parametrize("size", [100, 2**24], ids=["held until it is whole", "passed on as it comes"])
def test_a_body_of_which_nothing_more_comes_is_not_waited_for(monkeypatch, size):
    monkeypatch.setattr(http_relay, "SLOWEST_PART", 0.2)

    async def test():
        async with wired(Server()) as (reader, writer):
            writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % size + b"x" * (size // 2))
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 408 ")

    run(test)


@pytest.mark.parametrize(
    "target", [b"POST http://evil.example/mcp", b"CONNECT evil.example:443", b"POST http:evil"]
)
def test_a_request_for_another_address_goes_nowhere(target):
    async def serve(_reader, writer):
        writer.close()
        pytest.fail("it was passed on")

    async def test():
        async with wired(serve) as (reader, writer):
            writer.write(target + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
            assert (await reader.readuntil(b"\r\n"))[9:12] == b"400"

    run(test)


def test_more_connections_than_there_may_be_are_closed_at_once(monkeypatch):
    monkeypatch.setattr(http_server, "MOST_CLIENTS", 1)

    async def test():
        async with proxied(shop) as (client, _, address):
            assert (await fetch(client, address, call(1))).status == 200
            reader, writer = await connected(address)
            with suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()

    run(test)
