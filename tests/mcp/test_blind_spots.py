"""What a client reads, the proxy looks at; what it can't look at, it counts. And an upstream's secrets go to its own path alone."""

import asyncio
import gzip
import json
import logging
import zlib

import pytest
from aiohttp import ClientError, web

from outcome_monitors.events import Store, Watch
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.mcp import ProxyContext, TimeLimit
from outcome_monitors.mcp.http_server import serve
from outcome_monitors.mcp.settings import ProxySettings
from tests.events.shop import Kept, monitor
from tests.mcp.http_parts import exchange, fetch, proxied, proxied_to, run, serving
from tests.mcp.wire import BAD, Session, answer, call, context

BODY = json.dumps(answer(1, BAD)).encode()
JSON = "application/json"


def encoded(body, encoding="", kind=JSON):
    return body, {"Content-Type": kind, **({"Content-Encoding": encoding} if encoding else {})}


READABLE = {
    "gzip": encoded(gzip.compress(BODY), "gzip"),
    "deflate": encoded(zlib.compress(BODY), "deflate"),
    "BOM": encoded(b"\xef\xbb\xbf" + BODY),
    "UTF-16": encoded(BODY.decode().encode("utf-16")),
    "UTF-16 without BOM": encoded(BODY.decode().encode("utf-16-le")),
    "UTF-32": encoded(BODY.decode().encode("utf-32")),
    "latin 1": encoded(
        json.dumps(answer(1, {**BAD, "of": "café"}), ensure_ascii=False).encode("latin-1"),
        kind=f"{JSON}; charset=iso-8859-1",
    ),
    "bytes that are no UTF-8": encoded(BODY.replace(b'"text"', b'"te\xffxt"', 1)),
    "another type beside": encoded(BODY, kind=f"text/plain, {JSON}"),
    "events with a BOM": encoded(b"\xef\xbb\xbfdata: " + BODY + b"\n\n", kind="text/event-stream"),
    "events in gzip": encoded(gzip.compress(b"data: " + BODY + b"\n\n"), "gzip", "text/event-stream"),
}
UNREADABLE = {
    "torn gzip": encoded(gzip.compress(BODY)[:-20], "gzip"),
    "no gzip": encoded(BODY, "gzip"),
    "brotli": encoded(b"\x0b\x02\x80hello\x03", "br"),
    "torn": encoded(BODY[:-20]),
    "no JSON": encoded(b"<html>Bad gateway</html>"),
    "HTML": encoded(b"<html>Bad gateway</html>", kind="text/html"),
    "too deep": encoded(b'{"jsonrpc": "2.0", "id": 1, "result": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "events that end": encoded(b": hello\n\n", kind="text/event-stream"),
    "torn events": encoded(b"data: " + BODY[:-20] + b"\n\n", kind="text/event-stream"),
    "a bomb": encoded(gzip.compress(b" " * 2**26 + BODY), "gzip"),
}


def through(answered, at):
    """Return what a client gets of an answer, through the proxy."""

    async def handle(request):
        await request.read()
        return web.Response(body=answered[0], headers=answered[1])

    [found] = exchange(handle, call(1), at=at)
    return found


@pytest.mark.parametrize("name", READABLE)
def test_what_a_client_reads_is_looked_at(name):
    sink = Kept()
    found = through(READABLE[name], context(sink))
    assert [event.outcome for event in sink.events] == ["flagged"]
    if "events" not in name and name != "bytes that are no UTF-8":
        assert "inconsistent" in json.dumps(found.message), "the agent was told"


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_looked_at_passes_unmodified_and_is_counted_in_the_status(name, tmp_path):
    watch = Watch(monitor(), Store(tmp_path / "events.sqlite"))
    found = through(UNREADABLE[name], ProxyContext(watch, limit=TimeLimit(0)))
    watch.close()
    assert found.body == UNREADABLE[name][0]
    document = status_of(StatusSource(folder=tmp_path, events=tmp_path / "events.sqlite"))
    assert (document["results"], document["checked"]) == (1, 0.0)
    assert sum(document["tools"]["get_order"]["why_not"].values()) == 1


def test_a_connection_that_breaks_off_is_counted():
    sink = Kept()

    async def handle(request):
        await request.read()
        response = web.StreamResponse(headers={"Content-Type": JSON, "Content-Length": "999"})
        await response.prepare(request)
        await response.write(BODY)
        request.transport.abort()
        return response

    async def test():
        async with proxied(handle, at=context(sink)) as (client, _, address):
            with pytest.raises(ClientError):
                await fetch(client, address, call(1))
            await asyncio.sleep(0)

    run(test)
    assert [event.outcome for event in sink.events] == ["not_checked"]


def test_over_standard_output_what_is_no_json_is_counted_where_it_answers():
    talk = Session()
    talk.ask(call(1), call(2))
    torn = json.dumps(answer(1, BAD)).encode()[:-9] + b"\n"
    assert talk.hear(torn) == torn
    deep = b'{"result": ' + b"[" * 200_000 + b"]" * 200_000 + b', "id": 2}\n'
    assert talk.hear(deep) == deep
    assert talk.events == [], "their answers may be still to come"
    talk.session.ended()
    assert [why for _, why in talk.events] == ["the answer cannot be read"] * 2


async def tells(request):
    """Answer with the path and the authorization that came."""
    return web.json_response(
        answer(1, {"content": [], "at": request.path_qs, "by": request.headers.get("Authorization")})
    )


@pytest.mark.parametrize(
    ("asked", "at"),
    [
        ("/tools/mcp", "/tools/mcp?key=s3cret"),
        ("/tools/mcp/", "/tools/mcp/?key=s3cret"),
        ("/tools/mcp?page=2", "/tools/mcp?key=s3cret&page=2"),
        *((path, None) for path in ("/", "/admin", "/tools", "/tools/mcp/admin", "/tools/mcp/../admin")),
        *((path, None) for path in ("/tools/%6dcp", "//tools/mcp", "/tools/mcp;x", "/.well-known/../admin")),
    ],
)
def test_the_upstreams_password_and_query_go_to_its_own_path_alone(asked, at):
    async def test():
        async with serving(tells) as upstream:
            named = upstream.replace("//", "//me:s3cret@")
            async with proxied_to(named, path="/tools/mcp?key=s3cret") as (client, _, address):
                found = await fetch(client, address, call(1), path=asked)
                if at is None:
                    assert found.status == 404
                else:
                    assert found.message["result"]["at"] == at
                    assert found.message["result"]["by"] == "Basic bWU6czNjcmV0"
                beside = await fetch(
                    client, address, method="GET", path="/.well-known/oauth-protected-resource"
                )
                assert beside.message["result"]["by"] is None

    run(test)


def test_an_upstreams_secret_is_in_no_log(caplog, capsys):
    async def test():
        named = "http://me:s3cret@127.0.0.1:9"
        async with proxied_to(named, path="/mcp?key=s3cret") as (client, _, address):
            found = await fetch(client, address, call(1), path="/mcp")
            assert found.status == 502
            assert b"s3cret" not in found.body

    with caplog.at_level(logging.DEBUG):
        run(test)
    for wrong in ("ftp://me:s3cret@host/x?key=s3cret", "http://me:s3cret@ho st:x/?key=s3cret"):
        with pytest.raises(Exception, match="is not an address") as error:
            serve(ProxySettings(), wrong, "127.0.0.1:0")
        assert "s3cret" not in str(error.value)
    assert "s3cret" not in caplog.text + "".join(capsys.readouterr())
