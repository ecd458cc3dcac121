"""The status over HTTP: it only tells, to whom it may."""

import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from outcome_monitors.events import Event
from outcome_monitors.events.prometheus import EventMetrics
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.metrics import exposition
from outcome_monitors.learning.recorder import ToolResult
from outcome_monitors.learning.status import StatusSource, status_of
from outcome_monitors.mcp.readiness import Readiness
from outcome_monitors.mcp.request_guard import TOKEN_VARIABLE as TOKEN
from outcome_monitors.mcp.settings import ProxySettings
from outcome_monitors.mcp.status_server import StatusServer
from tests.events.shop import order
from tests.mcp.folders import learned, with_alarms
from tests.places import DOCS

SHOP = DOCS / "examples" / "shop"


def ask(port: int, path: str, **headers: str) -> tuple[int, str]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.fixture
def tally() -> EventMetrics:
    tally = EventMetrics()
    for event in (
        Event(0.0, None, 'odd"\\\ntool', "clean", duration=0.00002),
        Event(0.0, None, "get_order", "flagged", advised=True, duration=5.0),
        Event(0.0, None, "get_order", "not_checked", why="a picture"),
    ):
        tally.put(event)
    return tally


def test_the_status_and_metrics_are_served_to_local_readers(tmp_path: Path, tally: EventMetrics) -> None:
    learned(tmp_path, days=1)
    with_alarms(tmp_path, order(1, total=-1.0))
    setting = ProxySettings(learn=str(tmp_path))
    server = StatusServer("127.0.0.1:0", lambda: status_of(setting.status_source()), tally)
    try:
        status, text = ask(server.port, "/status")
        document = json.loads(text)
        assert status == 200
        assert document["tools"] == status_of(setting.status_source())["tools"]
        assert json.loads(ask(server.port, "/api/status?x=1")[1])["tools"] == document["tools"]
        figures = ask(server.port, "/metrics")[1]
        assert 'outcome_monitors_stage{stage="shadow",tool="get_order"} 1.0' in figures
        assert ask(server.port, "/nothing")[0] == 404
        assert ask(server.port, "/status", Host="evil.example")[0] == 403
        assert ask(server.port, "/status", Host="localhost:1")[0] == 200
        assert ask(server.port, "/status", Origin="https://evil.example")[0] == 403
        with pytest.raises(OutcomeMonitorsError, match="cannot listen on 127.0.0.1"):
            StatusServer(f"127.0.0.1:{server.port}", dict)
    finally:
        server.close()


def test_an_address_that_others_can_reach_asks_for_a_token_but_for_the_probes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    with pytest.raises(OutcomeMonitorsError, match=TOKEN):
        StatusServer("0.0.0.0:0", dict)
    monkeypatch.setenv(TOKEN, secret := "0123456789abcdef")
    readiness = Readiness()
    server = StatusServer("0.0.0.0:0", lambda: {"tools": {}}, readiness=readiness)
    try:
        assert ask(server.port, "/healthz") == (200, "alive\n")
        assert ask(server.port, "/readyz")[0] == 503
        readiness.begin()
        assert ask(server.port, "/readyz?verbose") == (200, "ready\n")
        assert ask(server.port, "/status")[0] == 401
        assert ask(server.port, "/status", Authorization="Bearer wrong")[0] == 401
        assert ask(server.port, "/status", Authorization=f"Bearer {secret}")[0] == 200
    finally:
        server.close()


def test_figures_as_prometheus_reads_them(tally: EventMetrics) -> None:
    lines = exposition({"tools": {}}, tally).splitlines()
    assert r'outcome_monitors_results_total{outcome="clean",tool="odd\"\\\ntool"} 1.0' in lines
    assert 'outcome_monitors_told_total{tool="get_order"} 1.0' in lines
    assert 'outcome_monitors_check_seconds_bucket{le="1e-05"} 0.0' in lines
    assert 'outcome_monitors_check_seconds_bucket{le="3e-05"} 1.0' in lines
    assert 'outcome_monitors_check_seconds_bucket{le="+Inf"} 2.0' in lines
    assert "outcome_monitors_check_seconds_count 2.0" in lines
    types = [line for line in lines if line.startswith("# TYPE")]
    assert len(types) == len(set(types))


def test_the_dashboard_asks_for_what_there_is(tally: EventMetrics) -> None:
    """Every figure that a proxy serves is on it, and every name and label that it asks for is served."""
    dashboard = json.loads((DOCS / "examples" / "grafana.json").read_text(encoding="utf-8"))
    text = exposition(status_of(StatusSource(folder=SHOP, events=SHOP / "events.sqlite")), tally)
    served = {
        name: set(re.findall(r'(\w+)="', labels))
        for name, labels in re.findall(r"^(outcome_monitors_\w+)(\{.*\})? ", text, re.MULTILINE)
    }
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    [listed] = [each["query"]["query"] for each in dashboard["templating"]["list"] if each["name"] == "tool"]
    named = {name for query in (*asked, listed) for name in re.findall(r"outcome_monitors_\w+", query)}
    assert named == set(served)
    for query in asked:
        [own, *_] = [served[name] for name in re.findall(r"outcome_monitors_\w+", query)]
        used = [*re.findall(r"by \((\w+)\)", query), *re.findall(r"\{(\w+)=~", query)]
        assert set(used) <= own, query


def test_the_status_of_a_proxy_is_not_mixed_with_the_machine_s_other_servers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for tool in ("list_issues", "get_order"):
        with ProxySettings(status="127.0.0.1:0").context() as context:
            conversation = context.conversation("c", "host", None)
            context.check(conversation, tool, {}, ToolResult({"error": "upstream returned 503"}), None, None)
            assert context.watch is not None
            assert context.watch.sink is not None
            context.watch.sink.close()
            port = int(re.findall(r"http://127.0.0.1:(\d+)/status", caplog.text)[-1])
            document = json.loads(ask(port, "/status")[1])
            assert set(document["tools"]) == {tool}
            assert (document["results"], document["told"]) == (1, 1)
            assert f'outcome_monitors_told_total{{tool="{tool}"}} 1.0' in ask(port, "/metrics")[1]
