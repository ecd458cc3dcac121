"""`--events otel` of a real proxy: what a collector receives over OTLP."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from tests.proxy.wire import SERVES, Proxy, call

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def collector(monkeypatch):
    """Run a collector, and return what it has received: the last part of each path, and the bytes."""
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http", reason="needs the extra otel")
    received: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path.rpartition("/")[2], body))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        yield received
        server.shutdown()


def test_evaluations_stand_beside_the_span_of_the_call_and_hold_no_value(collector, tmp_path):
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (  # noqa: PLC0415 - an extra
        ExportLogsServiceRequest,
    )
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (  # noqa: PLC0415 - an extra
        ExportMetricsServiceRequest,
    )

    traced = call(2, id="W1", total=-66666.0)
    traced["params"]["_meta"] = {"traceparent": PARENT}
    with Proxy(tmp_path, SERVES, "--events", "otel") as proxy:
        proxy.say(call(1, id="W1"), traced, call(3, tool="other", id="W1"))
        for _ in range(3):
            proxy.hear()
        assert proxy.end()[0] == 0
    assert not [body for _, body in collector if b"66666" in body]
    records = [
        record
        for what, body in collector
        if what == "logs"
        for scope in ExportLogsServiceRequest.FromString(body).resource_logs[0].scope_logs
        for record in scope.log_records
    ]
    assert {record.event_name for record in records} == {"gen_ai.evaluation.result"}
    labels = [
        attribute.value.string_value
        for record in records
        for attribute in record.attributes
        if attribute.key == "gen_ai.evaluation.score.label"
    ]
    assert labels == ["pass", "fail", "not_covered"]
    assert [record.span_id.hex() for record in records] == ["", PARENT.split("-")[2], ""]
    metrics = {
        metric.name: sum(point.as_int for point in metric.sum.data_points)
        for what, body in collector
        if what == "metrics"
        for metric in ExportMetricsServiceRequest.FromString(body)
        .resource_metrics[0]
        .scope_metrics[0]
        .metrics
    }
    assert metrics["outcome_monitors.checked"] == 2
    assert metrics["outcome_monitors.flagged"] == metrics["outcome_monitors.not_covered"] == 1
