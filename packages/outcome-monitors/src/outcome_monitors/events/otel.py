"""Events as OpenTelemetry has them: `gen_ai.evaluation.result` beside the tool's span, and metrics.

They carry no content: codes, paths and counts, no value of a result. The conventions are those of the OpenTelemetry GenAI
group, which are in development; the names are kept in one place, here.
"""

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from outcome_monitors.exceptions import MissingExtra

from .event import BOUNDS, EVALUATION, FAILED, FLAGGED, LABELS, SCORES, Event, explained

log = logging.getLogger("outcome_monitors.events")

EVENT = "gen_ai.evaluation.result"
AT_THE_END = 3.0
"""Seconds that closing may take."""
_SEVERITIES = {FLAGGED: "WARN", FAILED: "ERROR"}
_NOT_SET_UP = ("ProxyLoggerProvider", "NoOpLoggerProvider")
"""What the API has until someone sets up an SDK; it does not export these classes."""


class OpenTelemetry:
    """Emits events through the OpenTelemetry API; where they go is for its SDK to say.

    An event has the span that is current as its parent, or, where the call brought a `traceparent`, that one.
    `providers` are shut down when it is closed.
    """

    def __init__(self, *, logger: Any = None, meter: Any = None, providers: Sequence[Any] = ()) -> None:
        try:
            _logs, metrics = import_module("opentelemetry._logs"), import_module("opentelemetry.metrics")
        except ImportError:
            raise MissingExtra("sending events to OpenTelemetry", "opentelemetry-api", "otel") from None
        self.lost = 0
        self._providers = providers
        self._logs = _logs
        self._logger = logger or _logs.get_logger("outcome_monitors")
        self._meter = meter = meter or metrics.get_meter("outcome_monitors")
        self._observation = metrics.Observation
        self._results = meter.create_counter(
            "outcome_monitors.results",
            "{result}",
            "Tool results, by outcome and whether the agent was alerted.",
        )
        self._durations = meter.create_histogram(
            "outcome_monitors.check.duration",
            "s",
            "How long checks took.",
            explicit_bucket_boundaries_advisory=BOUNDS,
        )

    def observe(self, stages: Callable[[], Mapping[str, str]], order: Sequence[str]) -> None:
        """Measure the stage of each tool whenever metrics are read: its place in the order of stages, from 0."""

        def measured(_options: object) -> list[Any]:
            return [
                self._observation(
                    order.index(stage), {"gen_ai.tool.name": tool, "outcome_monitors.stage": stage}
                )
                for tool, stage in stages().items()
                if stage in order
            ]

        self._meter.create_observable_gauge(
            "outcome_monitors.stage", [measured], "{stage}", "How far each tool has come."
        )

    def put(self, event: Event) -> None:
        """Emit one event."""
        try:
            self._emit(event)
        except Exception as error:  # noqa: BLE001 - telemetry must not reach the host
            self.lost += 1
            log.warning("an event could not be sent to OpenTelemetry: %r", error)

    def close(self) -> None:
        """Have the SDK send what waits; a collector that cannot be reached is tried for a minute, and nobody waits for that."""
        if self._providers:
            ending = threading.Thread(target=self._shut_down, daemon=True)
            ending.start()
            ending.join(AT_THE_END)

    def _shut_down(self) -> None:
        for provider in self._providers:
            provider.shutdown()

    def _emit(self, event: Event) -> None:
        tool = {"gen_ai.tool.name": event.tool}
        how = {"outcome_monitors.outcome": event.outcome, "outcome_monitors.advised": event.advised}
        self._results.add(1, tool | how)
        if event.outcome in LABELS:
            self._durations.record(event.duration, tool)
        severity = self._logs.SeverityNumber[_SEVERITIES.get(event.outcome, "INFO")]
        self._logger.emit(
            self._logs.LogRecord(
                timestamp=int(event.time * 1e9),
                context=_parent(event.trace),
                event_name=EVENT,
                severity_number=severity,
                severity_text=severity.name,
                attributes=_attributes(event),
            )
        )


def exporting() -> OpenTelemetry:
    """Return a sink for OpenTelemetry: through the providers the host has set up, else over OTLP as the `OTEL_*` variables say."""
    sink = OpenTelemetry()
    provider = import_module("opentelemetry._logs").get_logger_provider()
    if type(provider).__name__ not in _NOT_SET_UP:
        return sink
    try:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter  # noqa: PLC0415
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415
        from opentelemetry.sdk._logs import LoggerProvider  # noqa: PLC0415
        from opentelemetry.sdk._logs.export import BatchLogRecordProcessor  # noqa: PLC0415
        from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415
    except ImportError:
        package = "opentelemetry-exporter-otlp-proto-http"
        raise MissingExtra("sending events to OpenTelemetry", package, "otel") from None
    logs = LoggerProvider(shutdown_on_exit=False)
    logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], shutdown_on_exit=False)
    return OpenTelemetry(
        logger=logs.get_logger("outcome_monitors"),
        meter=meters.get_meter("outcome_monitors"),
        providers=(logs, meters),
    )


def _attributes(event: Event) -> dict[str, Any]:
    attributes: dict[str, Any] = {
        "gen_ai.evaluation.name": EVALUATION,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": event.tool,
        "gen_ai.evaluation.score.label": LABELS.get(event.outcome, event.outcome),
        "outcome_monitors.outcome": event.outcome,
        "outcome_monitors.advised": event.advised,
    }
    if event.outcome in SCORES:
        attributes["gen_ai.evaluation.score.value"] = SCORES[event.outcome]
    if event.session is not None:
        attributes["gen_ai.conversation.id"] = event.session
    if event.call is not None:
        attributes["gen_ai.tool.call.id"] = event.call
    explanation = explained(event)
    if event.clauses:
        attributes["outcome_monitors.clauses"] = [name.address for name in event.clauses]
    if explanation:
        attributes["gen_ai.evaluation.explanation"] = explanation
    return attributes


def _parent(trace: str | None) -> Any:
    if trace is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415 - an extra
        TraceContextTextMapPropagator,
    )

    return TraceContextTextMapPropagator().extract({"traceparent": trace})
