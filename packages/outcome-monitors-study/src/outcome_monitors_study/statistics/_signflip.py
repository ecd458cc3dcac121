"""The sign-flip test: if the treatment did nothing, each task's difference could as well have had the other sign."""

import random
from collections import Counter
from collections.abc import Sequence

from ._clusters import Clusters, totals

__all__ = ["sign_flip", "signed_sums"]

MOST_ENUMERATED = 16
"""Up to so many differences that are no whole numbers, all assignments of signs are looked at."""
MOST_CELLS = 5_000_000
"""Cells of the table of sums; beyond it the exact way takes longer than anybody waits."""


def sign_flip(clusters: Clusters, *, draws: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of the sum of all differences, with the signs of whole clusters flipped.

    It is exact where differences are whole numbers, as with completions, or where few clusters differ; else `draws` seeded
    assignments stand for all, the observed one among them.

    >>> sign_flip([1, 1, 1, 1, 1, 1])
    0.03125
    """
    sums = [cluster.total for cluster in totals(clusters) if cluster.total]
    if all(value == round(value) for value in sums):
        whole = [abs(round(value)) for value in sums]
        if len(whole) * sum(whole) <= MOST_CELLS:
            return _by_counting(whole, abs(round(sum(sums))))
    elif len(sums) <= MOST_ENUMERATED:
        return _by_enumerating(sums)
    return _by_drawing(sums, draws, seed)


def _by_counting(sizes: Sequence[int], observed: int) -> float:
    extreme = sum(count for total, count in signed_sums(sizes).items() if abs(total) >= observed)
    return extreme / (1 << len(sizes))


def signed_sums(sizes: Sequence[int]) -> Counter[int]:
    """Count how many assignments of signs lead to each sum, cluster by cluster."""
    ways: Counter[int] = Counter({0: 1})
    for size in sizes:
        after: Counter[int] = Counter()
        for total, count in ways.items():
            after[total + size] += count
            after[total - size] += count
        ways = after
    return ways


def _by_enumerating(sums: Sequence[float]) -> float:
    found = [0.0]
    for value in sums:
        found = [total + sign * value for total in found for sign in (1, -1)]
    least = _just_below(abs(sum(sums)))
    return sum(abs(total) >= least for total in found) / len(found)


def _by_drawing(sums: Sequence[float], draws: int, seed: int) -> float:
    rng = random.Random(seed)  # noqa: S311 - a test of chance, not a secret
    least = _just_below(abs(sum(sums)))
    extreme = 1  # the observed assignment is one of them, so that p is never 0
    for _ in range(draws):
        signs = rng.getrandbits(len(sums))
        total = sum(value if signs >> place & 1 else -value for place, value in enumerate(sums))
        extreme += abs(total) >= least
    return extreme / (draws + 1)


def _just_below(value: float) -> float:
    # The same terms added in another order may miss the observed sum by a rounding error.
    return value - 1e-9 * max(1.0, value)
