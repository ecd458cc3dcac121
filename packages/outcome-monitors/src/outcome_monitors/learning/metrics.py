"""Figures as Prometheus reads them: counts of this process, and of the folder the stage of each tool.

They carry no content: names of tools, outcomes and counts, no value of a result.
"""

import threading
from collections.abc import Iterator, Mapping
from typing import Any

from outcome_monitors.events.event import CLEAN, FLAGGED, OUTCOMES, SUPPRESSED, Event
from outcome_monitors.exceptions import MissingExtra

from .rollout import STAGES

try:
    from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics
    from prometheus_client.core import GaugeMetricFamily, Metric
    from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE, generate_latest
except ImportError:
    raise MissingExtra("figures for Prometheus", "prometheus-client", "proxy-http") from None

__all__ = ["CONTENT_TYPE", "EventMetrics", "exposition"]

disable_created_metrics()  # type: ignore[no-untyped-call]  # its own

BOUNDS = (0.00001, 0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
"""Seconds that checks took: where the buckets end."""
MOST_TOOLS = 1000
OTHERS = "(other tools)"
"""Stands for the tools beyond the most that are counted one by one: names may come from anywhere."""


class EventMetrics:
    """A sink that counts the events of this process. Safe under threads."""

    lost = 0

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
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
        tool = _plain(event.tool)
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


class _StatusCollector:
    """The figures of a status."""

    def __init__(self, tools: Mapping[str, Mapping[str, Any]]) -> None:
        self._tools = {_plain(tool): found for tool, found in tools.items()}

    def collect(self) -> Iterator[Metric]:
        stage = GaugeMetricFamily(
            "outcome_monitors_stage",
            "The stage of each tool: 1 for the one that it is at.",
            labels=["tool", "stage"],
        )
        for tool, found in self._tools.items():
            for name in STAGES:
                stage.add_metric([tool, name], found["stage"] == name)
        yield stage
        for name, says in (
            ("checked", "Of the last results, the share that was checked."),
            ("told", "Results of which agents were told today, in UTC."),
            ("waiting", "Changes that wait for a person."),
            ("muted", "Clauses that agents are not told of."),
        ):
            whole = {"checked": "checked_share", "told": "told_today"}.get(name, name)
            family = GaugeMetricFamily(f"outcome_monitors_{whole}", says, labels=["tool"])
            for tool, found in self._tools.items():
                value = found[name]
                if value is not None:
                    family.add_metric([tool], len(value) if isinstance(value, list) else value)
            yield family


def exposition(document: Mapping[str, Any], metrics: EventMetrics | None = None) -> str:
    """Return all figures as text: those of this process where it counts, and those of a status."""
    status = CollectorRegistry()
    status.register(_StatusCollector(document["tools"]))
    registries = (status,) if metrics is None else (metrics.registry, status)
    return "".join(generate_latest(registry).decode() for registry in registries)


def _plain(text: str) -> str:
    # Half a surrogate pair, which JSON may hold, has no form in UTF-8.
    return text.encode(errors="replace").decode()
