"""Which requests are refused over HTTP, and who can read what is kept."""

import os
import stat
import subprocess
import sys

import pytest

pytest.importorskip("aiohttp")

from aiohttp import web
from multidict import CIMultiDict

from outcome_monitors.events.event import Event
from outcome_monitors.events.stores import JsonLines, Store
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.recorder import Recorder, TraceLine
from outcome_monitors.mcp.http_server import serve
from outcome_monitors.mcp.request_guard import RequestGuard
from outcome_monitors.mcp.settings import ProxySettings
from tests.events.shop import contracts as shop_contracts
from tests.mcp.http_parts import exchange
from tests.mcp.test_rollout_store import used
from tests.mcp.wire import PATIENCE

LOCAL = RequestGuard(local=True, listens="127.0.0.1")
TOKEN = "0123456789abcdef"
POSIX = pytest.mark.skipif(os.name != "posix", reason="modes of files as POSIX has them")


def reaching(guard, headers):
    """Return the status of a request with these headers, and the headers that reach the server."""
    seen: dict[str, str] = {}

    async def handle(request):
        seen.update(request.headers)
        return web.Response(text="in")

    [found] = exchange(handle, {"data": b"{}", "headers": headers}, guard=guard)
    return found.status, seen


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:9000"}, 200),
        ({"Host": "LOCALHOST."}, 200),
        ({"Host": "127.9.9.9"}, 200),
        ({"Host": "[::ffff:127.0.0.1]"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost.evil.example"}, 403),
        ({"Host": "localhost@evil.example"}, 403),
        ({"Host": "[::1].evil.example"}, 403),
        ({"Host": "localhost,evil.example"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
    ],
)
def test_a_page_elsewhere_cannot_use_a_local_proxy(headers, status):
    refusal = LOCAL.refusal(CIMultiDict({"Host": "127.0.0.1:80", **headers}).getall)
    assert (refusal or (200,))[0] == status


def test_a_refused_request_does_not_reach_the_server_and_a_page_that_is_named_may_come_in():
    assert reaching(LOCAL, {"Origin": "https://evil.example"}) == (403, {})
    guard = LOCAL._replace(origins=frozenset({"https://app.example"}))
    assert reaching(guard, {"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site"})[0] == 200
    assert reaching(guard, {"Origin": "https://app.example.evil"})[0] == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Bearer \u00e9"}, 401),
        ({"Authorization": f"bearer {TOKEN}"}, 200),
        ({"Outcome-Monitors-Token": TOKEN, "Authorization": "Bearer of the server"}, 200),
        ({"Authorization": f"Bearer {TOKEN}", "Origin": "https://evil.example"}, 403),
    ],
)
def test_on_other_addresses_a_token_is_required_and_goes_no_further(headers, status):
    found, seen = reaching(RequestGuard(token=TOKEN), headers)
    assert found == status
    assert TOKEN not in str(seen)
    if "Outcome-Monitors-Token" in headers:
        assert seen["Authorization"] == "Bearer of the server"


@pytest.mark.parametrize("host", ["LocalHost", "127.0.0.2", "127.1", "::1", "localhost."])
def test_every_spelling_of_a_local_address_is_guarded(host):
    guard = RequestGuard.at(host, None)
    assert guard.local
    assert not guard.token


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_an_address_that_others_can_reach_needs_a_token(host):
    with pytest.raises(OutcomeMonitorsError, match="OUTCOME_MONITORS_TOKEN"):
        RequestGuard.at(host, None)
    assert RequestGuard.at(host, None, environment={"OUTCOME_MONITORS_TOKEN": TOKEN}).token == TOKEN
    assert not RequestGuard.at(host, TOKEN).local
    with pytest.raises(OutcomeMonitorsError, match="at least 16"):
        RequestGuard.at(host, "short")


def test_credentials_of_the_server_are_not_printed(tmp_path):
    with pytest.raises(OutcomeMonitorsError, match="--upstream ftp://host/x is not") as error:
        serve(ProxySettings(), "ftp://me:secret@host/x", "localhost:0")
    assert "secret" not in str(error.value)
    command = [sys.executable, "-m", "outcome_monitors", "proxy", "--learn", str(tmp_path / "s")]
    command += ["--upstream", "http://me:secret@127.0.0.1:9/mcp", "--listen", "127.0.0.1:0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    first = process.stderr.readline()
    process.terminate()
    rest = process.communicate(timeout=PATIENCE)[1]
    assert first.startswith("outcome-monitors: http://127.0.0.1:9/mcp is served at http://127.0.0.1:")
    assert "secret" not in first + rest


@POSIX
def test_files_that_hold_traffic_are_readable_by_their_owner_alone(tmp_path, tmp_path_factory):
    contracts = tmp_path_factory.mktemp("elsewhere") / "contracts.json"
    shop_contracts().save(contracts)
    before = os.umask(0o022)
    try:
        used(tmp_path / "state")
        learning = ProxySettings(
            learn=str(tmp_path / "given"), contracts=str(contracts), private=("customer.email",)
        )
        with learning.context():
            assert (tmp_path / "given" / "given.json").exists()
        for sink in (Store(tmp_path / "a" / "e.sqlite"), JsonLines(tmp_path / "b" / "e.jsonl")):
            sink.put(Event(0.0, None, "get_order", "clean"))
            sink.close()
        Recorder(tmp_path / "c" / "t.jsonl")._write([TraceLine(0.0, "t", None, "{}")])
    finally:
        os.umask(before)
    for path in tmp_path.rglob("*"):
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), (path, oct(mode))
