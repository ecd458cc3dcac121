"""Which sink a word on the command line, or in code, means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from outcome_monitors.exceptions import OutcomeMonitorsError

from .stores import Fan, JsonLines, Store, default_store

if TYPE_CHECKING:
    from .event import Event
    from .stores import Sink

__all__ = ["PAUSE", "fanned", "keep", "open_sink", "open_sinks"]

STORES = (".sqlite", ".sqlite3", ".db")
LINES = (".jsonl",)
PAUSE = 60.0
"""Seconds between two messages to people (`alarms`)."""


def open_sink(where: str | None) -> Sink | None:
    """Return the sink of a store (`.sqlite`), a file (`.jsonl`), `otel`, `default`, or None."""
    if where is None or where == "none":
        return None
    if where == "otel":
        from .otel_export import exporting  # noqa: PLC0415 - an extra

        return exporting()
    if where == "default":
        return Store(default_store())
    if where.endswith(STORES):
        return Store(where)
    if where.endswith(LINES):
        return JsonLines(where)
    raise OutcomeMonitorsError(
        f"events cannot go to {where!r}: name a file that ends in .sqlite or .jsonl, otel, default, or none"
    )


def open_sinks(where: Iterable[str]) -> Sink | None:
    """Return the sinks of several words as one."""
    return fanned(*map(open_sink, where))


def fanned(*sinks: Sink | None) -> Sink | None:
    """Return several sinks as one; those that are None are none."""
    known = [sink for sink in sinks if sink is not None]
    return known[0] if len(known) == 1 else Fan(known) if known else None


def keep(sink: Sink, event: Event) -> None:
    """Hand an event to the sinks that keep events, and to none that counts, scores or tells."""
    several = getattr(sink, "sinks", None)
    if several is not None:
        for each in several:
            keep(each, event)
    elif getattr(sink, "keeps", False):
        sink.put(event)
