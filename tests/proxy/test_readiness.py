"""Whether a proxy lives and is ready, as those who start and stop it ask: over sockets, without a token."""

import socket
import time
from http import HTTPStatus

import pytest

pytest.importorskip("aiohttp")

from aiohttp import web

from outcome_monitors.proxy.readiness import FRESH, Reach, Readiness
from outcome_monitors.proxy.request_guard import TOKEN_VARIABLE as TOKEN, RequestGuard
from outcome_monitors.proxy.status_server import StatusServer
from tests.proxy.http_parts import proxied, proxied_to, run
from tests.proxy.test_status_server import ask
from tests.proxy.wire import SERVES, Proxy, call

SECRET = "a token of more than 16 characters"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


async def handle(request):
    return web.Response(text="of the server")


def test_it_is_ready_between_its_beginning_and_its_end_as_long_as_nothing_is_missing():
    missing = [""]
    readiness = Readiness()
    assert readiness.answer("/readyz") == (503, "not ready: it has not begun to serve\n")
    assert readiness.answer("/healthz") == (200, "alive\n")
    readiness.begin(lambda: "", lambda: missing[0])
    assert readiness.answer("/readyz") == (200, "ready\n")
    missing[0] = "the shop is closed"
    assert readiness.answer("/readyz") == (503, "not ready: the shop is closed\n")
    missing[0] = ""
    readiness.end()
    assert readiness.answer("/readyz")[0] == HTTPStatus.SERVICE_UNAVAILABLE
    assert readiness.answer("/healthz")[0] == HTTPStatus.OK


def test_an_address_is_asked_at_most_once_a_second(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with socket.create_server(("127.0.0.1", 0)) as server:
        reach = Reach(*server.getsockname())
        assert reach() == ""
        server.close()
        assert reach() == "", "it was asked just now"
        clock[0] += FRESH
        assert reach() == "the server behind it cannot be reached"


@pytest.mark.parametrize("host", ["no-such-host.invalid", "a" * 70, ""])
def test_a_name_that_leads_nowhere_is_away(host):
    assert Reach(host, 0)() == "the server behind it cannot be reached"


def test_over_http_both_are_answered_here_and_all_other_paths_by_the_server():
    async def test():
        async with proxied(handle) as (client, relay, address):
            relay.open()
            for path, said in (
                ("/healthz", "alive\n"),
                ("/readyz", "ready\n"),
                ("/healthz/deep", "of the server"),
                ("/mcp", "of the server"),
            ):
                async with client.get(f"{address}{path}") as found:
                    assert (found.status, await found.text()) == (200, said)
            relay.end()
            async with client.get(f"{address}/readyz") as found:
                assert found.status == 503

    run(test)


def test_over_http_a_server_that_is_away_makes_it_unready_and_its_name_is_not_told():
    async def test():
        async with proxied_to(f"http://127.0.0.1:{free_port()}") as (client, relay, address):
            relay.open()
            async with client.get(f"{address}/readyz") as found:
                assert found.status == 503
                assert await found.text() == "not ready: the server behind it cannot be reached\n"
            async with client.get(f"{address}/healthz") as found:
                assert found.status == 200

    run(test)


def test_over_http_no_token_is_asked_for_and_pages_elsewhere_are_refused():
    async def test():
        async with proxied(handle, guard=RequestGuard(token=SECRET)) as (client, _, address):
            for path, status in (("/healthz", 200), ("/readyz", 503), ("/mcp", 401)):
                async with client.get(f"{address}{path}") as found:
                    assert found.status == status
            async with client.get(f"{address}/healthz", headers={"Origin": "https://evil.example"}) as found:
                assert found.status == 403
        async with (
            proxied(handle, guard=RequestGuard(local=True)) as (client, _, address),
            client.get(f"{address}/healthz", headers={"Host": "evil.example"}) as found,
        ):
            assert found.status == 403

    run(test)


def test_beside_the_status_no_token_is_asked_for(monkeypatch):
    monkeypatch.setenv(TOKEN, "0123456789abcdef")
    readiness = Readiness()
    server = StatusServer("0.0.0.0:0", dict, readiness=readiness)
    try:
        assert ask(server.port, "/healthz") == (200, "alive\n")
        assert ask(server.port, "/readyz")[0] == 503
        readiness.begin()
        assert ask(server.port, "/readyz?verbose") == (200, "ready\n")
        assert ask(server.port, "/status")[0] == 401
    finally:
        server.close()


def test_on_stdio_it_is_ready_while_the_server_lives(tmp_path):
    port = free_port()
    program = f"{SERVES}\nos.close(0); time.sleep(60)"
    with Proxy(tmp_path, program, "--status", f"127.0.0.1:{port}") as proxy:
        proxy.say(call(1, id="W1"))
        proxy.hear()
        assert ask(port, "/readyz") == (200, "ready\n")
        assert ask(port, "/readyz", Host="evil.example")[0] == 403


def test_a_store_that_cannot_be_written_makes_nothing_unready(tmp_path):
    """Replies do not need it: what is lost is counted, and the proxy serves."""
    port = free_port()
    (tmp_path / "file").write_text("no folder")
    options = ("--events", str(tmp_path / "file" / "e.sqlite"), "--status", f"127.0.0.1:{port}")
    with Proxy(tmp_path, SERVES, *options) as proxy:
        proxy.say(call(1, id="W1"))
        proxy.hear()
        assert ask(port, "/readyz") == (200, "ready\n")
