"""OpenTelemetry where the host has not set it up: over OTLP, as the `OTEL_*` variables say."""

import threading
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from outcome_monitors.exceptions import MissingExtra

from .event import Event
from .otel import OpenTelemetry

__all__ = ["exporting"]


AT_THE_END = 3.0
"""Seconds that closing may take."""
_NOT_SET_UP = ("ProxyLoggerProvider", "NoOpLoggerProvider")
"""What the API has until someone sets up an SDK; it does not export these classes."""


class _Exporting:
    """A sink that brings the SDK along."""

    def __init__(self, sink: OpenTelemetry, providers: tuple[Any, ...]) -> None:
        self._sink, self._providers = sink, providers

    def put(self, event: Event) -> None:
        self._sink.put(event)

    def observe(self, stages: Callable[[], Mapping[str, str]], order: Sequence[str]) -> None:
        self._sink.observe(stages, order)

    def close(self) -> None:
        # A collector that cannot be reached is tried for a minute; nobody waits for that.
        ending = threading.Thread(target=self._shut_down, daemon=True)
        ending.start()
        ending.join(AT_THE_END)

    def _shut_down(self) -> None:
        for provider in self._providers:
            provider.shutdown()

    @property
    def lost(self) -> int:
        return self._sink.lost


def exporting() -> OpenTelemetry | _Exporting:
    """Return a sink for OpenTelemetry: through the providers the host has set up, else through OTLP."""
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
    own = OpenTelemetry(
        logger=logs.get_logger("outcome_monitors"), meter=meters.get_meter("outcome_monitors")
    )
    return _Exporting(own, (logs, meters))
