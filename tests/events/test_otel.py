"""Events reach OpenTelemetry beside the tool's span, and without content."""

import sys
from functools import partial

import pytest

from outcome_monitors.events import Fan, OpenTelemetry, Watch, open_sink
from outcome_monitors.exceptions import MissingExtra
from tests.events.service import listening
from tests.events.shop import monitor, order
from tests.mcp.wire import SERVES, Proxy, call

TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def collected():
    """Return a sink, a tracer, and functions that give the log records and the metrics so far."""
    part = partial(pytest.importorskip, reason="needs the SDK of OpenTelemetry")
    logs_sdk, logs_export = part("opentelemetry.sdk._logs"), part("opentelemetry.sdk._logs.export")
    metrics_sdk, metrics_export = part("opentelemetry.sdk.metrics"), part("opentelemetry.sdk.metrics.export")
    trace_sdk = part("opentelemetry.sdk.trace")
    memory = getattr(logs_export, "InMemoryLogRecordExporter", None)  # so called from 1.39 on
    logs, kept = logs_sdk.LoggerProvider(), (memory or logs_export.InMemoryLogExporter)()
    logs.add_log_record_processor(logs_export.SimpleLogRecordProcessor(kept))
    reader = metrics_export.InMemoryMetricReader()
    meters = metrics_sdk.MeterProvider([reader])
    sink = OpenTelemetry(logger=logs.get_logger("t"), meter=meters.get_meter("t"))

    def metrics():
        data = reader.get_metrics_data()
        found = data.resource_metrics[0].scope_metrics[0].metrics
        return {metric.name: figures(metric.data.data_points) for metric in found}

    def figures(points):
        """Return a gauge's value, the bounds and counts of a histogram, or a counter's values by what they are of."""
        [first, *_] = points
        if hasattr(first, "bucket_counts"):
            return first.explicit_bounds, first.bucket_counts
        if "outcome_monitors.stage" in first.attributes:
            return first.value
        named = ("outcome_monitors.outcome", "outcome_monitors.advised")
        return [(*(point.attributes[name] for name in named), point.value) for point in points]

    def records():
        return [found.log_record for found in kept.get_finished_logs()]

    return sink, trace_sdk.TracerProvider().get_tracer("t"), records, metrics


def test_an_event_is_an_evaluation_result_beside_the_span_that_is_current(collected):
    sink, tracer, records, metrics = collected
    conversation = Watch(monitor(), sink).conversation("c1")
    with tracer.start_as_current_span("execute_tool get_order") as span:
        conversation.look("get_order", {"id": "W1"}, order(1))
        conversation.look("get_order", {"id": "W1"}, order(1, status="s3cret"), call="call_7")
    conversation.look("other", {}, {})
    conversation.skip("other", "the content is not JSON", trace=TRACE)
    clean, flagged, not_covered, skipped = records()
    assert {record.event_name for record in records()} == {"gen_ai.evaluation.result"}
    assert clean.span_id == flagged.span_id == span.get_span_context().span_id
    assert f"{skipped.span_id:x}" == "b7ad6b7169203331"
    assert clean.attributes["gen_ai.evaluation.score.label"] == "pass"
    assert flagged.attributes["gen_ai.evaluation.score.label"] == "fail"
    assert flagged.attributes["gen_ai.evaluation.score.value"] == 0.0
    assert flagged.attributes["gen_ai.evaluation.explanation"] == "unseen_category at status"
    assert flagged.attributes["gen_ai.tool.name"] == "get_order"
    assert flagged.attributes["gen_ai.conversation.id"] == "c1"
    assert flagged.attributes["gen_ai.tool.call.id"] == "call_7"
    assert [record.severity_text for record in records()] == ["INFO", "WARN", "INFO", "INFO"]
    assert "gen_ai.evaluation.score.value" not in not_covered.attributes
    assert "s3cret" not in repr([record.attributes for record in records()])
    assert flagged.attributes["outcome_monitors.clauses"][0].startswith("get_order.status/domain#")
    Fan([sink]).observe(lambda: {"get_order": "advising"}, ("observing", "shadow", "advising"))
    found = metrics()
    assert found["outcome_monitors.stage"] == 2
    results = {
        outcome: n for outcome, told, n in found["outcome_monitors.results"] if told == (outcome == "flagged")
    }
    assert results == {"clean": 1, "flagged": 1, "not_covered": 1, "not_checked": 1}
    bounds, buckets = found["outcome_monitors.check.duration"]
    assert bounds[0] < 0.001
    assert sum(buckets[:-1]) == 2
    assert sink.lost == 0


def test_without_the_extra_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(MissingExtra, match=r"pip install 'outcome-monitors\[otel\]'"):
        open_sink("otel")


@pytest.fixture
def collector(monkeypatch):
    """Run a collector, and return what it has received."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs the extra otel")
    with listening() as service:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", service.address)
        yield service.requests


def test_a_collector_receives_the_evaluations_of_a_proxy_and_no_value(collector, tmp_path):
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (  # noqa: PLC0415 - an extra
        ExportLogsServiceRequest,
    )

    traced = call(2, id="W1", total=-66666.0)
    traced["params"]["_meta"] = {"traceparent": TRACE}
    with Proxy(tmp_path, SERVES, "--events", "otel") as proxy:
        proxy.say(call(1, id="W1"), traced, call(3, tool="other", id="W1"))
        for _ in range(3):
            proxy.hear()
        assert proxy.end()[0] == 0
    assert not [request for request in collector if b"66666" in request.data]
    records = [
        record
        for request in collector
        if request.path.endswith("/logs")
        for scope in ExportLogsServiceRequest.FromString(request.data).resource_logs[0].scope_logs
        for record in scope.log_records
    ]
    assert {record.event_name for record in records} == {"gen_ai.evaluation.result"}
    assert [record.span_id.hex() for record in records] == ["", TRACE.split("-")[2], ""]
    assert any(request.path.endswith("/metrics") for request in collector)
