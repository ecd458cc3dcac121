"""Figures as Prometheus reads them: counts of this process, and of the folder the stage of each tool.

They carry no content: names of tools, outcomes and counts, no value of a result.
"""

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from outcome_monitors.events.event import CLEAN, FLAGGED, OUTCOMES, Event
from outcome_monitors.events.summary import EventSummary

from .stages import STAGES

__all__ = ["CONTENT_TYPE", "LiveTally", "exposition"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
"""Seconds that checks took: where the buckets end."""
MOST_TOOLS = 1000
OTHERS = "(other tools)"
"""Stands for the tools beyond the most that are counted one by one: names may come from anywhere."""


class LiveTally:
    """A sink that counts the events of this process. Safe under threads."""

    lost = 0

    def __init__(self) -> None:
        self.summary = EventSummary()
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.seconds = 0.0
        self._lock = threading.Lock()

    def put(self, event: Event) -> None:
        """Count one event."""
        with self._lock:
            known = event.tool in self.summary.tools or len(self.summary.tools) < MOST_TOOLS
            self.summary.add(event.tool if known else OTHERS, event.outcome, event.advised, event.why)
            if event.outcome in (CLEAN, FLAGGED):
                self.buckets[bisect_left(BOUNDS, event.duration)] += 1
                self.seconds += event.duration

    def close(self) -> None:
        """Nothing waits here."""

    def lines(self) -> Iterator[str]:
        """Yield the counts."""
        with self._lock:
            tools = {
                tool: (dict(counts.outcomes), counts.told) for tool, counts in self.summary.tools.items()
            }
            buckets, seconds = [*self.buckets], self.seconds
        yield from _family(
            "results_total",
            "counter",
            "Tool results, by what became of them.",
            (
                ({"tool": tool, "outcome": outcome}, outcomes.get(outcome, 0))
                for tool, (outcomes, _) in tools.items()
                for outcome in OUTCOMES
            ),
        )
        yield from _family(
            "told_total",
            "counter",
            "Results of which the agent was told.",
            (({"tool": tool}, told) for tool, (_, told) in tools.items()),
        )
        yield from _histogram(buckets, seconds)


def exposition(document: Mapping[str, Any], tally: LiveTally | None = None) -> str:
    """Return all figures as text: those of a status, and those of this process where it counts."""
    lines = [*(tally.lines() if tally is not None else ()), *_of_tools(document["tools"])]
    return "".join(f"{line}\n" for line in lines)


def _of_tools(tools: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield from _family(
        "stage",
        "gauge",
        "The stage of each tool: 1 for the one that it is at.",
        (
            ({"tool": tool, "stage": stage}, int(found["stage"] == stage))
            for tool, found in tools.items()
            for stage in STAGES
        ),
    )
    figures: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], float | None]]] = {
        "checked_share": ("Of the last results, the share that was checked.", lambda found: found["checked"]),
        "told_today": ("Results of which agents were told today, in UTC.", lambda found: found["told"]),
        "waiting": ("Changes that wait for a person.", lambda found: len(found["waiting"])),
        "muted": ("Clauses that agents are not told of.", lambda found: len(found["muted"])),
    }
    for name, (says, of) in figures.items():
        rows = [({"tool": tool}, value) for tool, found in tools.items() if (value := of(found)) is not None]
        yield from _family(name, "gauge", says, rows)


def _histogram(buckets: list[int], seconds: float) -> Iterator[str]:
    name, below = "outcome_monitors_check_seconds", 0
    yield f"# HELP {name} How long checks took."
    yield f"# TYPE {name} histogram"
    for bound, number in zip((*map(str, BOUNDS), "+Inf"), buckets, strict=True):
        below += number
        yield f'{name}_bucket{{le="{bound}"}} {below}'
    yield f"{name}_sum {seconds}"
    yield f"{name}_count {below}"


def _family(
    name: str, sort: str, says: str, rows: Iterable[tuple[Mapping[str, str], float]]
) -> Iterator[str]:
    whole = f"outcome_monitors_{name}"
    yield f"# HELP {whole} {says}"
    yield f"# TYPE {whole} {sort}"
    for labels, value in rows:
        named = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"{whole}{{{named}}} {value}"


def _escaped(text: str) -> str:
    # Half a surrogate pair, which JSON may hold, has no form in UTF-8.
    plain = text.encode(errors="replace").decode()
    return plain.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
