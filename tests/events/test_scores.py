"""Scores in Langfuse and Phoenix: on the span of the call, in the form of their public APIs, and at nobody's expense."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors.adapters import LearnIn
from outcome_monitors.adapters._observer import opened
from outcome_monitors.events import Event, Watch, sinks
from outcome_monitors.events.scores import ScoreSink, chosen_services, score_sinks
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mcp import JsonRpcSession
from outcome_monitors.mcp.settings import ProxySettings
from outcome_monitors.model import Violation
from tests.events.service import Service, listening
from tests.events.shop import contracts, order
from tests.mcp.wire import answer, call, line, result

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
PARENT = f"00-{TRACE}-{SPAN}-01"


def langfuse(service: Service) -> dict[str, str]:
    return {
        "LANGFUSE_PUBLIC_KEY": "pk",
        "LANGFUSE_SECRET_KEY": "k3y",
        "LANGFUSE_HOST": f"{service.address}/",
    }


def phoenix(service: Service) -> dict[str, str]:
    return {"PHOENIX_API_KEY": "key", "PHOENIX_COLLECTOR_ENDPOINT": f"{service.address}/v1/traces"}


@pytest.fixture
def service() -> Iterator[Service]:
    with listening() as service:
        yield service


def sink_of(variables: dict[str, str], patience: float = 5.0) -> ScoreSink:
    """Return the sink of the service whose keys are set."""
    [service] = chosen_services((), variables)
    return ScoreSink(service, patience)


def event(number: int = 0, outcome: str = "clean", trace: str | None = PARENT, **more: Any) -> Event:
    return Event(float(number), "s", "get_order", outcome, trace=trace, **more)


def flagged(number: int = 0) -> Event:
    broken = (Violation("nonpositive_value", "total", "> 0", "s3cret", "the total is s3cret"),)
    return event(number, "flagged", violations=broken, receipt={"note": "s3cret"}, advised=True)


def test_langfuse_has_a_score_on_the_observation(service: Service) -> None:
    sink = sink_of(langfuse(service))
    for one in (event(1), flagged(2), event(3, "not_covered"), event(4, "failed")):
        sink.put(one)
    sink.close()
    assert [request.path for request in service.requests] == ["/api/public/scores"] * 2
    right, wrong = (request.body for request in service.requests)
    assert (right["traceId"], right["observationId"]) == (TRACE, SPAN)
    assert (right["name"], right["value"], right["dataType"]) == ("outcome_contract", 1, "BOOLEAN")
    assert (wrong["value"], wrong["comment"]) == (0, "nonpositive_value at total")
    assert wrong["metadata"] == {"tool": "get_order", "told": True, "clauses": []}
    assert right["id"] != wrong["id"]
    assert "s3cret" not in json.dumps(wrong)
    kind, secret = service.requests[0].headers["Authorization"].split()
    assert (kind, base64.b64decode(secret)) == ("Basic", b"pk:k3y")
    assert sink.lost == 0


def test_phoenix_has_annotations_on_the_span_many_in_a_message(service: Service) -> None:
    sink = sink_of(phoenix(service))
    for number in range(150):
        sink.put(event(number))
    sink.put(flagged(150))
    sink.close()
    assert {request.path for request in service.requests} == {"/v1/span_annotations?sync=false"}
    assert service.requests[0].headers["Authorization"] == "Bearer key"
    assert max(len(request.body["data"]) for request in service.requests) == 100
    every = [one for request in service.requests for one in request.body["data"]]
    assert len({one["identifier"] for one in every}) == 151
    assert {key: every[0][key] for key in ("span_id", "name", "annotator_kind", "result")} == {
        "span_id": SPAN,
        "name": "outcome_contract",
        "annotator_kind": "CODE",
        "result": {"label": "pass", "score": 1.0},
    }
    assert every[-1]["result"] == {"label": "fail", "score": 0.0, "explanation": "nonpositive_value at total"}


@pytest.mark.parametrize("trace", [None, "nonsense", PARENT[:-2] + "00"])
def test_a_result_without_a_span_that_is_kept_has_no_score(service: Service, trace: str | None) -> None:
    sink = sink_of(langfuse(service))
    sink.put(event(trace=trace))
    sink.close()
    assert (service.requests, sink.without_span, sink.lost) == ([], 1, 0)


def test_a_service_that_is_busy_is_asked_again_and_a_refusal_is_not(
    service: Service, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sinks, "BETWEEN_TRIES", 0.01)
    service.statuses = [503, 429, 200, 401]
    sink = sink_of(langfuse(service))
    sink.put(event(1))
    sink.put(event(2))
    sink.close()
    bodies = [request.body["id"] for request in service.requests]
    assert len(bodies) == 4
    # Sent anew it is the same score, not another.
    assert len(set(bodies)) == 2
    assert sink.lost == 1
    assert "langfuse answered 401" in caplog.text
    assert "k3y" not in caplog.text


def test_those_are_meant_whose_key_is_set() -> None:
    keys = {"LANGFUSE_PUBLIC_KEY": "pk", "LANGFUSE_SECRET_KEY": "sk"}
    assert [service.url for service in chosen_services((), keys)] == [
        "https://cloud.langfuse.com/api/public/scores"
    ]
    assert [*chosen_services((), {"LANGFUSE_PUBLIC_KEY": "pk", "PHOENIX_API_KEY": ""})] == []
    assert [*chosen_services(("none",), keys)] == []
    assert [service.name for service in chosen_services((), {**keys, "PHOENIX_API_KEY": "k"})] == [
        "langfuse",
        "phoenix",
    ]
    # One that runs locally has no key, and is named.
    [local] = chosen_services(("phoenix",), {"PHOENIX_COLLECTOR_ENDPOINT": "http://localhost:6006"})
    assert (local.url, local.headers) == ("http://localhost:6006/v1/span_annotations?sync=false", {})


@pytest.mark.parametrize(
    ("name", "variables", "words"),
    [
        ("langfuse", {"LANGFUSE_PUBLIC_KEY": "pk"}, "LANGFUSE_SECRET_KEY"),
        ("phoenix", {}, "PHOENIX_API_KEY"),
        ("phoenix", {"PHOENIX_COLLECTOR_ENDPOINT": "file:///etc/passwd"}, "PHOENIX_COLLECTOR_ENDPOINT"),
        ("elsewhere", {}, "langfuse, phoenix"),
    ],
)
def test_what_cannot_be_scored_is_one_sentence(name: str, variables: dict[str, str], words: str) -> None:
    with pytest.raises(OutcomeMonitorsError, match=words):
        score_sinks((name,), variables)


def test_the_proxy_scores_what_brings_a_traceparent(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in langfuse(service).items():
        monkeypatch.setenv(name, value)
    contracts().save(tmp_path / "contracts.json")
    setting = ProxySettings(
        contracts=str(tmp_path / "contracts.json"), events=(str(tmp_path / "events.sqlite"),), timeout=0.0
    )
    setting.refuse()
    with setting.context() as context:
        session = JsonRpcSession(context, "s")
        for number, value in enumerate((order(1), order(1, total=-1.0))):
            asked = call(number)
            asked["params"]["_meta"] = {"traceparent": PARENT}
            session.from_client(line(asked))
            session.from_server(line(answer(number, result(value))))
    assert [request.body["value"] for request in service.requests] == [1, 0]
    [clause, *_] = service.requests[1].body["metadata"]["clauses"]
    assert clause.startswith("get_order.total/positive#")


def test_adapters_score_on_the_current_span_where_they_are_told_to(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace")
    for name, value in phoenix(service).items():
        monkeypatch.setenv(name, value)
    contracts().save(tmp_path / "contracts.json")
    silent = Watch.open(tmp_path / "contracts.json")
    loud = Watch.open(tmp_path / "contracts.json", scores=["phoenix"])
    learning = opened(None, None, LearnIn(tmp_path / "folder", scores=["phoenix"])).watch
    with trace.TracerProvider().get_tracer("test").start_as_current_span("tool") as span:
        for watch in (silent, loud, learning):
            watch.conversation().look("get_order", {"id": "W1"}, order(1, total=-1.0))
    for watch in (silent, loud, learning):
        watch.close()
    [annotation] = [one for request in service.requests for one in request.body["data"]]
    assert int(annotation["span_id"], 16) == span.context.span_id
    assert annotation["result"]["label"] == "fail"


def test_keys_are_not_carried_elsewhere(service: Service) -> None:
    service.statuses = [302, 307]
    sink = sink_of(langfuse(service))
    sink.put(event(1))
    sink.put(event(2))
    sink.close()
    assert [request.path for request in service.requests] == ["/api/public/scores"] * 2
    assert sink.lost == 2
