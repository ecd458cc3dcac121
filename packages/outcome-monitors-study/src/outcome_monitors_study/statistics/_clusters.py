"""What belongs together: the paired differences of one task, whoever ran it."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["Clusters", "Total", "totals"]

Cluster = float | Sequence[float]
Clusters = Mapping[str, Cluster] | Iterable[Cluster]
"""Each cluster is a difference, treatment minus baseline, or several of them; a mapping names the clusters."""


class Total(NamedTuple):
    """One cluster: the sum of its differences, and how many they are."""

    total: float
    pairs: int


def totals(clusters: Clusters) -> list[Total]:
    """Add up each cluster; raise where there is none, or where one is empty or holds no number."""
    values = clusters.values() if isinstance(clusters, Mapping) else clusters
    found = [_total(cluster) for cluster in values]
    if not found:
        raise OutcomeMonitorsError("there is no cluster: give at least one paired difference")
    return found


def _total(cluster: Cluster) -> Total:
    differences = [cluster] if isinstance(cluster, int | float) else list(cluster)
    if not differences or not all(isfinite(difference) for difference in differences):
        raise OutcomeMonitorsError("a cluster holds no finite difference: give one number for each pair")
    return Total(sum(differences), len(differences))
