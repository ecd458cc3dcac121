"""Events counted for Prometheus: in the registry that a process serves itself (`prometheus`), or in one of its own.

They carry no content: names of tools, outcomes and counts, no value of a result.
"""

import threading
from functools import cache

from outcome_monitors.exceptions import MissingExtra

from .event import BOUNDS, CLEAN, FLAGGED, OUTCOMES, SUPPRESSED, Event

try:
    from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, disable_created_metrics
except ImportError:
    raise MissingExtra("figures for Prometheus", "prometheus-client", "proxy-http") from None

MOST_TOOLS = 1000
OTHERS = "(other tools)"
"""Stands for the tools beyond the most that are counted one by one: names may come from anywhere."""


class EventMetrics:
    """A sink that counts the events of this process. Safe under threads."""

    lost = 0

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        if registry is None:
            disable_created_metrics()  # type: ignore[no-untyped-call]  # its own
        self.registry = CollectorRegistry() if registry is None else registry
        self._results = Counter(
            "outcome_monitors_results",
            "Tool results, by what became of them.",
            ["tool", "outcome"],
            registry=self.registry,
        )
        self._told = Counter(
            "outcome_monitors_told",
            "Results of which the agent was told.",
            ["tool"],
            registry=self.registry,
        )
        self._suppressed = Counter(
            "outcome_monitors_suppressed",
            "How often alerts were ended, since what they were of had become normal.",
            ["tool"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "outcome_monitors_check_seconds", "How long checks took.", buckets=BOUNDS, registry=self.registry
        )
        self._tools: set[str] = set()
        self._lock = threading.Lock()

    def put(self, event: Event) -> None:
        """Count one event."""
        tool = plain(event.tool)
        with self._lock:
            if tool not in self._tools:
                tool = tool if len(self._tools) < MOST_TOOLS else OTHERS
                self._tools.add(tool)
                for outcome in OUTCOMES:
                    # Those that have not come yet are known to be none.
                    self._results.labels(tool, outcome)
        if event.outcome == SUPPRESSED:
            self._suppressed.labels(tool).inc()
            return
        self._results.labels(tool, event.outcome).inc()
        self._told.labels(tool).inc(event.advised)
        if event.outcome in (CLEAN, FLAGGED):
            self._seconds.observe(event.duration)

    def close(self) -> None:
        """Nothing waits here."""


@cache
def of_process() -> EventMetrics:
    """Return what counts in the registry that this process serves itself, if it does."""
    return EventMetrics(REGISTRY)


def plain(text: str) -> str:
    """Return a name as it can be written."""
    # Half a surrogate pair, which JSON may hold, has no form in UTF-8.
    return text.encode(errors="replace").decode()
