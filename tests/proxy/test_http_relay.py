"""The proxy over HTTP: what is passed on, streams and their resumption, sessions, slow clients, and a server in trouble."""

import asyncio
import importlib
import json
import sys
from io import BytesIO

import pytest

pytest.importorskip("aiohttp")

from aiohttp import ClientError, web
from yarl import URL

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError
from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.proxy import http_relay, http_server
from outcome_monitors.proxy.http_server import serve
from outcome_monitors.proxy.settings import ProxySettings
from outcome_monitors.receipts.mcp import KEY
from tests.events.shop import Kept, order, remembering
from tests.proxy.http_parts import HEAD, posted, proxied, proxied_to, run, wired
from tests.proxy.wire import BAD, GOOD, NAMED, TOOLS, answer, call, desk, line, lists, result


def test_requests_and_answers_are_passed_on_as_they_are():
    async def handle(request):
        body = await request.read()
        seen = {
            "method": request.method,
            "path": request.raw_path,
            "own": request.headers.get("X-Own"),
            "authorization": request.headers.get("Authorization"),
            "body": body.decode("latin1"),
        }
        return web.Response(
            status=418,
            body=json.dumps(seen).encode(),
            headers={"X-Answer": "yes", "Content-Type": "application/x-odd"},
        )

    async def test():
        async with proxied(handle) as (client, _, address):
            headers = {"X-Own": "1", "Authorization": "Bearer t"}
            async with client.put(
                URL(f"{address}/.well-known/a?b=%2F", encoded=True), headers=headers, data=b"\xff\x00"
            ) as found:
                assert (found.status, found.headers["X-Answer"]) == (418, "yes")
                assert found.content_type == "application/x-odd"
                assert await found.json(content_type=None) == {
                    "method": "PUT",
                    "path": "/.well-known/a?b=%2F",
                    "own": "1",
                    "authorization": "Bearer t",
                    "body": "\xff\x00",
                }

    run(test)


def test_a_json_answer_has_a_receipt_put_in():
    async def handle(request):
        message = await request.json()
        return web.json_response(
            answer(message["id"], BAD if message["params"]["arguments"]["id"] == "bad" else GOOD)
        )

    async def test():
        sink = Kept()
        async with proxied(handle, desk(sink)) as (client, _, address):
            async with client.post(f"{address}/mcp", json=call(1, id="bad")) as found:
                assert len((await found.json())["result"]["content"]) == 2
            async with client.post(f"{address}/mcp", json=call(1, id="W1")) as found:
                assert await found.json() == answer(1, GOOD)
        assert sink.outcomes == ["flagged", "clean"]
        assert [event.session for event in sink.events] == [None, None]

    run(test)


def test_a_stream_is_passed_on_event_by_event_and_again_after_it_broke():
    """The first stream breaks behind its answer; the client resumes, and hears the same answer with the same receipt."""
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
        sink = Kept()
        headers = {"Mcp-Session-Id": "s1"}
        async with proxied(handle, desk(sink)) as (client, _, address):
            async with client.post(f"{address}/mcp", json=call(7), headers=headers) as found:
                heard = b""
                while not heard.endswith(progress):
                    heard += await found.content.readany()
                assert heard == b": hello\n\n" + progress, "at once, byte for byte"
                gate.set()
                first = await found.content.readany()
                with pytest.raises(ClientError):
                    await found.content.read()
            async with client.get(f"{address}/mcp", headers={**headers, "Last-Event-ID": "1"}) as found:
                again = await found.read()
        assert first == again
        assert again.startswith(b"id: 2\r\ndata: {")
        assert again.endswith(b"\r\n\r\n")
        assert KEY.encode() in again
        assert sink.outcomes == ["flagged"]

    run(test)


def test_sessions_are_told_apart_forgotten_when_ended_and_bounded(monkeypatch):
    async def handle(request):
        if request.method == "DELETE":
            return web.Response()
        if request.headers.get("Mcp-Session-Id") == "unknown":
            return web.Response(status=404)
        message = await request.json()
        return web.json_response(answer(message["id"], result(message["params"]["arguments"])))

    async def test():
        monkeypatch.setattr(http_relay, "MOST_SESSIONS", 3)
        sink = Kept()
        async with proxied(handle, desk(sink, remembering())) as (client, relay, address):

            async def look(session, status):
                headers = {"Mcp-Session-Id": session} if session else {}
                body = call(1, order_id="W1", status=status)
                async with client.post(f"{address}/mcp", json=body, headers=headers) as found:
                    await found.read()
                return sink.outcomes[-1] if sink.events else None

            assert await look("a", "sent") == "clean"
            assert await look("b", "paid") == "clean"
            assert await look("a", "paid") == "flagged"
            assert await look(None, "sent") == "clean"
            assert await look(None, "paid") == "clean", "without a session nothing is remembered"
            assert relay.sessions == 2
            async with client.delete(f"{address}/mcp", headers={"Mcp-Session-Id": "a"}):
                assert relay.sessions == 1
            assert await look("a", "paid") == "clean", "another conversation of the same name"
            await look("unknown", "x")
            assert relay.sessions == 2
            for number in range(5):
                await look(f"n{number}", "x")
            assert relay.sessions == 3

    run(test)


def test_a_session_knows_the_client_that_began_it(tmp_path):
    async def handle(request):
        message = json.loads(await request.read())
        headers = {"Mcp-Session-Id": "Begun-1"} if message["method"] == "initialize" else {}
        return web.json_response(answer(message["id"], GOOD), headers=headers)

    async def test():
        recorder = Recorder(tmp_path / "traces.jsonl")
        async with proxied(handle, desk(recorder=recorder)) as (client, _, address):
            hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": NAMED}
            async with client.post(f"{address}/mcp", json=hello) as said:
                headers = {"Mcp-Session-Id": said.headers["Mcp-Session-Id"]}
            for more in (headers, {"Mcp-Session-Id": "other"}, {}):
                async with client.post(f"{address}/mcp", json=call(1), headers=more) as said:
                    await said.read()
        recorder.close()

    run(test)
    lines = map(json.loads, (tmp_path / "traces.jsonl").read_text().splitlines())
    assert [line["client"] for line in lines] == ["probe 1.2", "127.0.0.1", "127.0.0.1"]


def test_an_answer_to_head_says_how_long_the_body_would_be():
    async def handle(_request):
        return web.json_response(answer(1, GOOD))

    async def test():
        async with proxied(handle) as (client, _, address), client.head(f"{address}/mcp") as found:
            assert found.headers["Content-Length"] == str(len(json.dumps(answer(1, GOOD))))

    run(test)


def test_concurrent_calls_do_not_mix():
    async def handle(request):
        message = await request.json()
        number = message["params"]["arguments"]["n"]
        await asyncio.sleep((number * 7 % 5) / 200)
        return web.json_response(
            answer(message["id"], result(order(number, **({"total": -1.0} if number % 3 == 0 else {}))))
        )

    async def test():
        async with proxied(handle) as (client, _, address):

            async def ask(session, number):
                headers = {"Mcp-Session-Id": f"s{session}"}
                async with client.post(
                    f"{address}/mcp", json=call(number, n=number), headers=headers
                ) as found:
                    said = await found.json()
                assert said["id"] == number
                assert said["result"]["structuredContent"]["id"] == f"W{number}"
                assert (len(said["result"]["content"]) == 2) is (number % 3 == 0)

            await asyncio.gather(*(ask(session, number) for session in range(10) for number in range(20)))

    run(test)


def test_what_is_large_or_packed_is_passed_on_unread():
    def large(number):
        return line(answer(number, {"content": [{"type": "text", "text": "x" * 6_000_000}]}))

    async def handle(request):
        message = await request.json()
        if message["id"] == 1:
            return web.Response(body=large(1), content_type="application/json")
        if message["id"] == 5:
            response = web.StreamResponse(headers={"Content-Type": "application/json"})
            await response.prepare(request)
            await response.write(large(5))
            return response
        if message["id"] == 2:
            return web.Response(body=b"data: " + large(2) + b"\n", content_type="text/event-stream")
        assert request.headers.getall("Accept-Encoding") == ["identity"], "and not the client's own beside it"
        return web.json_response(answer(3, BAD))

    async def test():
        sink = Kept()
        async with proxied(handle, desk(sink)) as (client, _, address):
            async with client.post(f"{address}/mcp", json=call(1)) as found:
                assert await found.read() == large(1)
            async with client.post(f"{address}/mcp", json=call(2)) as found:
                assert await found.read() == b"data: " + large(2) + b"\n"
            async with client.post(f"{address}/mcp", json=call(5)) as found:
                assert await found.read() == large(5), "whose size was not told before"
            async with client.post(f"{address}/mcp", json=call(3)) as found:
                assert KEY in await found.text()
            async with client.post(
                f"{address}/mcp", data=BytesIO(line(call(1, id="x" * 5_000_000)))
            ) as found:
                assert len(await found.read()) == len(large(1))
        assert sink.outcomes == ["not_checked", "not_checked", "not_checked", "flagged"]

    run(test)


def test_that_a_server_is_away_is_a_bad_gateway_and_logged_once_a_while(caplog):
    """Each of many clients finds it out; a log that nobody reads must not come to hold up what passes."""

    async def test():
        async with proxied_to("http://127.0.0.1:9") as (client, _, address):
            for _ in range(5):
                async with client.post(f"{address}/mcp", json=call(1)) as found:
                    assert found.status == 502
                    assert "cannot be reached" in await found.text()

    run(test)
    assert len([record for record in caplog.records if "cannot be reached" in record.message]) == 1


def test_a_client_that_leaves_mid_call_ends_the_call_and_nothing_else():
    came, left = asyncio.Event(), asyncio.Event()

    async def handle(request):
        message = await request.json()
        if message["id"] == 1:
            came.set()
            try:
                await asyncio.sleep(20)
            finally:
                left.set()
        return web.json_response(answer(message["id"], BAD))

    async def test():
        async with proxied(handle) as (client, _, address):
            leaving = asyncio.create_task(client.post(f"{address}/mcp", json=call(1)).__aenter__())
            await came.wait()
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
            await left.wait()
            async with client.post(f"{address}/mcp", json=call(2)) as found:
                assert KEY in await found.text()

    run(test)


def test_without_a_session_what_was_listed_is_known_to_the_next_request():
    async def handle(request):
        message = await request.json()
        return web.json_response(
            answer(message["id"], {"tools": TOOLS} if message["method"] == "tools/list" else BAD)
        )

    async def test():
        async with proxied(handle) as (client, _, address):
            async with client.post(f"{address}/mcp", json=lists(1)) as found:
                assert KEY in await found.text()
            async with client.post(f"{address}/mcp", json=call(1)) as found:
                assert KEY in (await found.json())["result"]["structuredContent"]

    run(test)


@pytest.mark.parametrize(
    ("upstream", "listen", "told"),
    [
        ("localhost:8000", "localhost:1", "is not an address"),
        ("http://localhost/mcp", "localhost", "HOST:PORT"),
        ("http://localhost/mcp", "localhost:99999", "HOST:PORT"),
    ],
)
def test_addresses_that_are_none(upstream, listen, told):
    with pytest.raises(OutcomeMonitorsError, match=told):
        serve(ProxySettings(learn="x"), upstream, listen)


def test_without_the_extra_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "aiohttp", None)
    monkeypatch.delitem(sys.modules, "outcome_monitors.proxy.http_server")
    with pytest.raises(MissingExtra, match=r"pip install 'outcome-monitors\[proxy-http\]'"):
        importlib.import_module("outcome_monitors.proxy.http_server")


async def slow_answer(request):
    message = await request.json()
    await asyncio.sleep(0.4)
    return web.json_response(answer(message["id"], GOOD))


async def ended(reader):
    """Return what still comes until the connection is closed."""
    try:
        return await reader.read()
    except ConnectionError:
        return b""


@pytest.mark.parametrize("said", [b"", b"P", HEAD])
def test_a_head_that_does_not_come_to_its_end_is_not_waited_for_and_a_slow_server_is(monkeypatch, said):
    monkeypatch.setattr(http_server, "SLOWEST_HEAD", 0.2)

    async def test():
        async with proxied(slow_answer) as (_, _relay, address):
            place = address.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(*place)
            writer.write(said)
            assert await ended(reader) == b""
            writer.close()
            reader, writer = await asyncio.open_connection(*place)
            for _ in range(2):
                _, body = await posted(reader, writer, line(call(7)))
                assert json.loads(body)["id"] == 7
            writer.close()

    run(test)


@pytest.mark.parametrize("size", [100, 2**24])
def test_a_body_of_which_nothing_more_comes_is_not_waited_for(monkeypatch, size):
    """Whether it is held until it is whole, or passed on as it comes."""
    monkeypatch.setattr(http_relay, "SLOWEST_PART", 0.2)

    async def test():
        async with proxied(slow_answer) as (_, _relay, address):
            reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
            writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % size + b"x" * (size // 2))
            assert (await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 408 ")
            writer.close()

    run(test)


def test_more_connections_than_there_may_be_are_closed_at_once(monkeypatch):
    monkeypatch.setattr(http_server, "MOST_CLIENTS", 1)

    async def test():
        async with proxied(slow_answer) as (client, _, address):
            async with client.post(f"{address}/mcp", json=call(1)) as found:
                assert found.status == 200
                await found.read()
            reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
            assert await ended(reader) == b""
            writer.close()

    run(test)


@pytest.mark.parametrize(
    "target", [b"POST http://evil.example/mcp", b"CONNECT evil.example:443", b"POST http:evil"]
)
def test_what_is_for_another_address_goes_nowhere(target):
    async def serve(_reader, writer):
        writer.close()
        pytest.fail("it was passed on")

    async def test():
        async with wired(serve) as (reader, writer):
            writer.write(target + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
            assert (await reader.readuntil(b"\r\n"))[9:12] == b"400"

    run(test)


def test_what_is_no_http_is_answered_and_not_logged(caplog):
    async def test():
        async with proxied(slow_answer) as (_, _relay, address):
            reader, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
            writer.write(b"GET / HTTP/1.1\r\nsecret : \0\r\n\r\n")
            assert (await reader.readuntil(b"\r\n"))[9:12] == b"400"
            writer.close()

    run(test)
    assert not caplog.records
