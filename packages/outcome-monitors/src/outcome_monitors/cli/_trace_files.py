"""Traces as the commands on the life of a contract read them."""

from collections.abc import Iterator

from outcome_monitors.model import Call
from outcome_monitors.traces.reader import Skipped, TraceReport, read_traces
from outcome_monitors.values.files import FilePath

from ._output import progress, warn

__all__ = ["read_calls"]


def read_calls(traces: tuple[FilePath, ...], *, strict: bool) -> Iterator[Call]:
    """Yield the calls of traces; a bad line is told and skipped, and a file without a call is an error."""

    def skip(line: Skipped) -> None:
        warn(f"{line}; the line is skipped")

    report = TraceReport(on_skip=None if strict else skip)
    yield from progress(read_traces(traces, strict=strict, report=report), "call")
    report.require_calls()
