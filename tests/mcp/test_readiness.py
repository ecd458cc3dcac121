"""`/healthz` and `/readyz`: on the HTTP proxy's own address and beside the status, without a token."""

import pytest

pytest.importorskip("aiohttp")

from aiohttp import web

from outcome_monitors.mcp.request_guard import RequestGuard
from tests.mcp.http_parts import exchange, fetch, proxied, proxied_to, run
from tests.mcp.test_status_server import ask
from tests.mcp.wire import SERVES, Proxy, call, free_port


async def handle(_request):
    return web.Response(text="of the server")


def get(path, **headers):
    return {"method": "GET", "path": path, "headers": headers}


def test_over_http_the_two_paths_are_answered_here_and_all_others_by_the_server():
    async def test():
        async with proxied(handle) as (client, relay, address):
            relay.open()
            for path, said in (
                ("/healthz", b"alive\n"),
                ("/readyz", b"ready\n"),
                ("/mcp", b"of the server"),
                ("/.well-known/oauth-protected-resource/mcp", b"of the server"),
            ):
                found = await fetch(client, address, **get(path))
                assert (found.status, found.body) == (200, said)
            for path in (
                "/healthz/deep",
                "/admin",
                "/mcp/../admin",
                "/mcp/%2e%2e/admin",
                "/.well-known/../admin",
            ):
                assert (await fetch(client, address, **get(path))).status == 404
            relay.end()
            assert (await fetch(client, address, **get("/readyz"))).status == 503

    run(test)


def test_over_http_no_token_is_asked_for_and_pages_elsewhere_are_refused():
    asked = [get("/healthz"), get("/readyz"), get("/mcp"), get("/healthz", Origin="https://evil.example")]
    found = exchange(handle, *asked, guard=RequestGuard(token="a token of more than 16 characters"))
    assert [one.status for one in found] == [200, 503, 401, 403]
    [refused] = exchange(handle, get("/healthz", Host="evil.example"), guard=RequestGuard(local=True))
    assert refused.status == 403


def test_on_stdio_it_is_ready_while_the_server_lives_whether_or_not_events_can_be_written(tmp_path):
    port = free_port()
    (tmp_path / "file").write_text("no folder")
    options = ("--events", str(tmp_path / "file" / "e.sqlite"), "--status", f"127.0.0.1:{port}")
    with Proxy(tmp_path, f"{SERVES}\nos.close(0); time.sleep(60)", *options) as proxy:
        proxy.say(call(1, id="W1"))
        proxy.hear()
        assert ask(port, "/readyz") == (200, "ready\n")
        assert ask(port, "/readyz", Host="evil.example")[0] == 403


def test_over_http_it_is_not_ready_while_the_server_cannot_be_reached():
    async def test():
        async with proxied_to("http://127.0.0.1:9") as (client, relay, address):
            relay.open()
            found = await fetch(client, address, **get("/readyz"))
            assert (found.status, found.body) == (503, b"not ready: the server behind it cannot be reached\n")

    run(test)
