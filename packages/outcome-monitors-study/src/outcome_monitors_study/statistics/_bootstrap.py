"""The task-cluster bootstrap: how far the mean effect would move if other tasks of the same kind had been drawn."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate
from typing import NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError

from ._clusters import Clusters, Total, totals

__all__ = ["RESAMPLES", "Bootstrap", "cluster_bootstrap"]

RESAMPLES = 200_000
MOST_CELLS = 5_000_000


class Bootstrap(NamedTuple):
    """The mean difference of a pair, and its percentile interval."""

    estimate: float
    low: float
    high: float
    exact: bool
    """The interval is that of all resamples there are, not of some that were drawn."""


def cluster_bootstrap(
    clusters: Clusters, *, resamples: int = RESAMPLES, seed: int = 0, level: float = 0.95
) -> Bootstrap:
    """Return the mean difference of a pair with its interval, whole clusters resampled.

    Where all clusters have as many pairs and differences are whole numbers, as in any complete study of completions, the
    distribution over all resamples is worked out, and `resamples` and `seed` make no difference. Otherwise so many are drawn.

    >>> cluster_bootstrap([1] * 14 + [0] * 36)
    Bootstrap(estimate=0.28, low=0.16, high=0.4, exact=True)
    """
    if not 0 < level < 1 or resamples < 1:
        raise OutcomeMonitorsError("a bootstrap has at least one resample, and a level between 0 and 1")
    found = totals(clusters)
    estimate = sum(cluster.total for cluster in found) / sum(cluster.pairs for cluster in found)
    tail = (1 - level) / 2
    shares = _all_means(found)
    if shares is not None:
        return Bootstrap(estimate, _quantile(shares, tail), _quantile(shares, 1 - tail), exact=True)
    means = sorted(_drawn_means(found, resamples, seed))
    low, high = (means[min(resamples - 1, int(at * resamples))] for at in (tail, 1 - tail))
    return Bootstrap(estimate, low, high, exact=False)


def _all_means(clusters: Sequence[Total]) -> dict[float, float] | None:
    """Return the chance of each mean, by adding one drawn cluster after another; None where that is out of reach."""
    pairs = {cluster.pairs for cluster in clusters}
    if len(pairs) > 1 or any(cluster.total != round(cluster.total) for cluster in clusters):
        return None
    kinds = Counter(round(cluster.total) for cluster in clusters)
    reach = (max(kinds) - min(kinds)) * len(clusters)
    if reach * len(clusters) * len(kinds) > MOST_CELLS:
        return None
    chances: Mapping[int, float] = {0: 1.0}
    for _ in clusters:
        after: dict[int, float] = {}
        for total, chance in chances.items():
            for kind, times in kinds.items():
                after[total + kind] = after.get(total + kind, 0.0) + chance * times / len(clusters)
        chances = after
    whole = len(clusters) * pairs.pop()
    return {total / whole: chances[total] for total in sorted(chances)}


def _quantile(shares: Mapping[float, float], at: float) -> float:
    """Return the least mean that is reached with so much chance."""
    reached = accumulate(shares.values())
    # A chance that is exactly the bound must not be missed by a rounding error.
    return next((mean for mean, sum_ in zip(shares, reached, strict=True) if sum_ >= at - 1e-12), max(shares))


def _drawn_means(clusters: Sequence[Total], resamples: int, seed: int) -> Iterator[float]:
    """Draw resamples; the two ways draw differently, each the same for the same seed."""
    if find_spec("numpy") is None:
        return _drawn_plainly(clusters, resamples, seed)
    numpy = import_module("numpy")
    kinds = Counter(clusters)  # clusters that are alike are drawn together: only their number matters
    chances = numpy.array(list(kinds.values())) / len(clusters)
    sums = numpy.array([cluster.total for cluster in kinds])
    pairs = numpy.array([cluster.pairs for cluster in kinds])
    drawn = numpy.random.default_rng(seed).multinomial(len(clusters), chances, size=resamples)
    return iter(((drawn @ sums) / (drawn @ pairs)).tolist())


def _drawn_plainly(clusters: Sequence[Total], resamples: int, seed: int) -> Iterator[float]:
    rng = random.Random(seed)  # noqa: S311 - a test of chance, not a secret
    # A complex number adds up both in one go, at the speed of the interpreter's own sum.
    both = [complex(cluster.total, cluster.pairs) for cluster in clusters]
    for _ in range(resamples):
        drawn = sum(rng.choices(both, k=len(both)), 0j)
        yield drawn.real / drawn.imag
