"""Spans of OpenTelemetry, as its SDK writes them on a console."""

import json

import pytest

pytest.importorskip("opentelemetry.sdk.trace", reason="needs opentelemetry-sdk: make compat")

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult

__all__ = ["Collected"]


class Collected(SpanExporter):
    """Keeps what is exported."""

    def __init__(self):
        self.records = []
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self))

    def export(self, spans):
        self.records += [json.loads(span.to_json()) for span in spans]
        return SpanExportResult.SUCCESS
