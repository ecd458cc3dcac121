"""Figures as Prometheus reads them: counts of events, and of a folder the stage of each tool."""

from collections.abc import Iterator, Mapping
from typing import Any

from outcome_monitors.events.prometheus import (
    EventMetrics,
    plain,
)  # before its client: it says where that is missing

# isort: split
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4 as CONTENT_TYPE, generate_latest

from .rollout import STAGES

__all__ = ["CONTENT_TYPE", "exposition"]


class _StatusCollector:
    """The figures of a status."""

    def __init__(self, tools: Mapping[str, Mapping[str, Any]]) -> None:
        self._tools = {plain(tool): found for tool, found in tools.items()}

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
