"""Paired statistics for studies: exact where that can be done, else by seeded draws."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import lru_cache, reduce
from math import comb, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy.special import bdtr

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.reports import Share

Cluster = float | Sequence[float]
Clusters = Mapping[str, Cluster] | Iterable[Cluster]
"""Each cluster is the paired difference, treatment minus baseline, of one task, or several of them."""
SIMULATIONS, SIMULATION_SEED = 10_000, 42
"""As the paper has them."""
STEP = 0.01
"""Effects are tried point by point."""


class Interval(NamedTuple):
    """A 95% interval."""

    low: float
    high: float


class Bootstrap(NamedTuple):
    """The mean difference of a pair, and its percentile interval."""

    estimate: float
    low: float
    high: float
    exact: bool
    """The interval is that of the whole bootstrap distribution, not of a sample of it."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The paired outcome decomposition of a treatment against a baseline."""

    rescue: int
    """Only the treatment completed: a win."""
    harm: int
    """Only the baseline completed: a loss."""
    both_pass: int
    both_fail: int

    @property
    def count(self) -> int:
        """How many pairs there are."""
        return self.rescue + self.harm + self.both_pass + self.both_fail

    @property
    def baseline(self) -> int:
        """How many the baseline completed."""
        return self.harm + self.both_pass

    @property
    def treatment(self) -> int:
        """How many the treatment completed."""
        return self.rescue + self.both_pass

    @property
    def effect(self) -> float | None:
        """The difference of the shares completed; None of no pairs."""
        return (self.rescue - self.harm) / self.count if self.count else None

    @property
    def conditional_rescue(self) -> float | None:
        """Of the pairs that the baseline failed, the share that the treatment completed."""
        failed = self.rescue + self.both_fail
        return self.rescue / failed if failed else None

    @property
    def p(self) -> float:
        """The two-sided exact p of McNemar's test."""
        return mcnemar_exact(self.rescue, self.harm)

    def __add__(self, other: "Pairs") -> "Pairs":
        return Pairs(*(one + two for one, two in zip(astuple(self), astuple(other), strict=True)))


def tally(pairs: Iterable[tuple[bool, bool]]) -> Pairs:
    """Count pairs of (baseline completed, treatment completed)."""
    seen = Counter(pairs)
    return Pairs(seen[False, True], seen[True, False], seen[True, True], seen[False, False])


def mcnemar_exact(wins: int, losses: int) -> float:
    """Return the two-sided exact p of so many wins and losses; pairs that agree say nothing.

    >>> round(mcnemar_exact(wins=14, losses=0), 5)
    0.00012
    """
    if wins < 0 or losses < 0:
        raise OutcomeMonitorsError(f"wins and losses are counts, not {wins} and {losses}")
    return min(1.0, 2 * float(bdtr(min(wins, losses), wins + losses, 0.5)))


def sign_flip(clusters: Clusters, *, draws: int = 100_000, seed: int = 0) -> float:
    """Return the two-sided p of the sum of all differences, with the signs of whole clusters flipped.

    It is exact where differences are whole numbers, as with completions, or where at most 16 clusters differ; else `draws`
    seeded assignments stand for all, the observed one among them.

    >>> sign_flip([1, 1, 1, 1, 1, 1])
    0.03125
    """
    sums = np.array([total for total, _ in _totals(clusters) if total], float)
    observed = abs(sums.sum())
    if np.array_equal(sums, sums.round()):
        chances = _sums_of_signs(np.abs(sums).astype(int))
        reached = np.abs(np.arange(len(chances)) - len(chances) // 2)
        return min(1.0, float(chances[reached >= observed].sum()))
    # The same terms added in another order may miss the observed sum by a rounding error.
    least = observed - 1e-9 * max(1.0, observed)
    if len(sums) <= 16:
        signs = 1 - 2 * (np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums)) & 1)
        return float(np.mean(np.abs(signs @ sums) >= least))
    signs = np.random.default_rng(seed).choice([-1, 1], size=(draws, len(sums)))
    return (1 + int(np.sum(np.abs(signs @ sums) >= least))) / (draws + 1)


def cluster_bootstrap(
    clusters: Clusters, *, resamples: int = 200_000, seed: int = 0, level: float = 0.95
) -> Bootstrap:
    """Return the mean difference of a pair with its interval, whole clusters resampled.

    Where all clusters have as many pairs and differences are whole numbers, as in any complete study of completions, the
    distribution over all resamples is worked out, and `resamples` and `seed` make no difference. Otherwise so many are drawn.

    >>> cluster_bootstrap([1] * 14 + [0] * 36)
    Bootstrap(estimate=0.28, low=0.16, high=0.4, exact=True)
    """
    if not 0 < level < 1 or resamples < 1:
        raise OutcomeMonitorsError("a bootstrap has at least one resample, and a level between 0 and 1")
    found = _totals(clusters)
    estimate = sum(total for total, _ in found) / sum(pairs for _, pairs in found)
    tails = ((1 - level) / 2, (1 + level) / 2)
    exact = len({pairs for _, pairs in found}) == 1 and all(total == round(total) for total, _ in found)
    if exact:
        means, chances = _all_means(found)
        # A chance that is exactly the bound must not be missed by a rounding error.
        places = np.searchsorted(chances.cumsum(), np.array(tails) - 1e-12).clip(max=len(means) - 1)
        low, high = means[places].tolist()
    else:
        kinds = Counter(found)  # clusters that are alike are drawn together: only their number matters
        sums, pairs = np.array(list(kinds), float).T
        shares = np.array(list(kinds.values())) / len(found)
        drawn = np.random.default_rng(seed).multinomial(len(found), shares, size=resamples)
        means = np.sort((drawn @ sums) / (drawn @ pairs))
        low, high = (float(means[min(resamples - 1, int(at * resamples))]) for at in tails)
    return Bootstrap(estimate, low, high, exact)


@lru_cache(maxsize=256)
def minimum_detectable_effect(
    pairs: int,
    baseline: float = 0.5,
    *,
    clusters: int | None = None,
    gain: bool = True,
    target: float = 0.8,
    alpha: float = 0.05,
) -> float | None:
    """Return the smallest effect, in steps of a point, that the paired test finds with power `target`.

    `baseline` is the share that the baseline completes; the arms are taken as independent within a pair, the cautious
    choice. It is None where no `gain` that is left above the baseline, or loss below it, would be found. With `clusters`, as
    alike in size as can be, the test is the sign-flip of whole clusters, and its power is simulated.

    >>> minimum_detectable_effect(50, 0.7)
    0.23
    """
    low, most = 0, int((1 - baseline if gain else baseline) / STEP + 1e-9)
    high, step = most + 1, STEP if gain else -STEP
    while high - low > 1:  # power rises with the effect
        middle = (low + high) // 2
        if power(pairs, baseline, middle * step, clusters=clusters, alpha=alpha) >= target:
            high = middle
        else:
            low = middle
    return round(high * STEP, 10) if high <= most else None


def power(
    pairs: int, baseline: float, effect: float, *, clusters: int | None = None, alpha: float = 0.05
) -> float:
    """Return the chance that the exact paired test finds an effect; with `clusters`, that the sign-flip test does."""
    treatment = baseline + effect
    if pairs < 1 or not 0 <= baseline <= 1 or not -1e-12 <= treatment <= 1 + 1e-12:
        raise OutcomeMonitorsError("power needs at least one pair, and completed shares between 0 and 1")
    if clusters is not None and not 0 < clusters <= pairs:
        raise OutcomeMonitorsError("there are at least one cluster, and no more than pairs")
    treatment = min(1.0, max(0.0, treatment))
    win, loss = (1 - baseline) * treatment, baseline * (1 - treatment)
    if win + loss == 0:
        return 0.0
    if clusters is not None and clusters < pairs:
        return _simulated_power(pairs, clusters, np.array([loss, 1 - win - loss, win]), alpha)
    share = win / (win + loss)
    discordant = np.diff(bdtr(np.arange(pairs + 1), pairs, win + loss), prepend=0.0)
    found = [0.0]
    for number in range(1, pairs + 1):
        most = _most_losses(number, alpha)
        found.append(sum(bdtr(most, number, (share, 1 - share))) if most >= 0 else 0.0)
    return float(discordant @ found)


def _simulated_power(pairs: int, clusters: int, outcomes: Any, alpha: float) -> float:
    """Return the share of simulated studies in which the sign-flip test finds something.

    `outcomes` are the chances of a loss, a tie and a win of a pair. A study is known by its sum and by how many of its clusters
    sum up to 1, 2 and so on, whatever the sign; the chances of all sums under the test come of their characteristic function.
    """
    rng, largest = np.random.default_rng(SIMULATION_SEED), -(-pairs // clusters)
    total: Any = np.zeros(SIMULATIONS, int)
    sizes: Any = np.zeros((SIMULATIONS, largest), int)
    alike = Counter(pairs // clusters + (number < pairs % clusters) for number in range(clusters))
    for size, number in alike.items():
        chances = reduce(np.convolve, [outcomes] * size)
        drawn = rng.multinomial(number, chances, size=SIMULATIONS)
        total += drawn @ np.arange(-size, size + 1)
        sizes[:, :size] += drawn[:, size + 1 :] + drawn[:, :size][:, ::-1]
    studies, counts = np.unique(np.column_stack([sizes, np.abs(total)]), axis=0, return_counts=True)
    waves = 2 * np.pi * np.arange(pairs + 1) / (2 * pairs + 1)
    powers = [np.cos(size * waves) ** np.arange(clusters + 1)[:, None] for size in range(1, largest + 1)]
    found = 0
    for start in range(0, len(studies), 1000):  # so many fit into memory together
        some = studies[start : start + 1000]
        shape = np.prod([table[some[:, column]] for column, table in enumerate(powers)], axis=0)
        chances = np.fft.irfft(shape, 2 * pairs + 1)[:, : pairs + 1]
        # Two-sided: all sums that are nearer to zero than the one found lie outside.
        nearer = np.concatenate([np.zeros((len(some), 1)), 2 * chances.cumsum(1) - chances[:, :1]], axis=1)
        p = 1 - nearer[np.arange(len(some)), some[:, -1]]
        found += int(counts[start : start + 1000][p <= alpha + 1e-12].sum())
    return found / SIMULATIONS


def prevalence_effect(faulted: float, clean: float, prevalence: float) -> float:
    """Return the net effect where so large a share of tasks meets a fault, from the effects with a fault and without.

    >>> prevalence_effect(faulted=0.2, clean=-0.01, prevalence=0.5)
    0.095
    """
    return prevalence * faulted + (1 - prevalence) * clean


def break_even(faulted: float, clean: float) -> float | None:
    """Return the share of tasks with a fault from which the net effect is a gain; None where it never is.

    >>> round(break_even(faulted=0.1125, clean=-0.0526), 2)
    0.32
    """
    if clean >= 0:
        return 0.0 if faulted >= 0 else None
    return -clean / (faulted - clean) if faulted > 0 else None


def pass_every(outcomes: Iterable[Sequence[bool]], k: int) -> float | None:
    """Return pass^k: the share of tasks that k runs in a row would complete, each task by the runs that it had.

    Tasks with fewer than k runs are left out; None where there is no other.

    >>> pass_every([[True, True, False], [True, True, True]], 2)
    0.6666666666666666
    """
    shares = [comb(sum(runs), k) / comb(len(runs), k) for runs in outcomes if len(runs) >= k]
    return sum(shares) / len(shares) if shares else None


def wilson(part: int, whole: int) -> Interval:
    """Return the Wilson score interval of a share; of nothing it is all there is."""
    return Interval(*(Share(part, whole).interval or (0.0, 1.0)))


def newcombe(part: int, whole: int, other_part: int, other_whole: int) -> Interval:
    """Return Newcombe's hybrid score interval of a share minus another, for samples that are independent.

    It is for arms that share no task; for pairs take `cluster_bootstrap`.
    """
    if not whole or not other_whole:
        return Interval(-1.0, 1.0)
    first, second = wilson(part, whole), wilson(other_part, other_whole)
    one, two = part / whole, other_part / other_whole
    return Interval(
        one - two - sqrt((one - first.low) ** 2 + (second.high - two) ** 2),
        one - two + sqrt((first.high - one) ** 2 + (two - second.low) ** 2),
    )


def _totals(clusters: Clusters) -> list[tuple[float, int]]:
    """Return the sum and the number of each cluster's differences."""
    found = []
    for cluster in clusters.values() if isinstance(clusters, Mapping) else clusters:
        differences = [cluster] if isinstance(cluster, int | float) else list(cluster)
        if not differences or not all(map(isfinite, differences)):
            raise OutcomeMonitorsError("a cluster holds no finite difference: give one number for each pair")
        found.append((sum(differences), len(differences)))
    if not found:
        raise OutcomeMonitorsError("there is no cluster: give at least one paired difference")
    return found


def _sums_of_signs(sizes: Iterable[int]) -> Any:
    """Return the chance of each sum, from the lowest to the highest, where all signs are drawn by a fair coin."""
    chances = np.ones(1)
    for size in sizes:
        room = np.zeros(2 * size)
        chances = (np.concatenate([chances, room]) + np.concatenate([room, chances])) / 2
    return chances


def _all_means(clusters: Sequence[tuple[float, int]]) -> tuple[Any, Any]:
    """Return each mean that a resample can have, in order, and its chance."""
    sums = np.array([round(total) for total, _ in clusters])
    one = np.bincount(sums - sums.min()) / len(clusters)
    chances = np.ones(1)
    for _ in clusters:
        chances = np.convolve(chances, one)
    return (np.arange(len(chances)) + sums.min() * len(clusters)) / (len(clusters) * clusters[0][1]), chances


@lru_cache(maxsize=4096)
def _most_losses(discordant: int, alpha: float) -> int:
    """Return how many of the rarer kind are still significant; -1 where none are."""
    return int(np.searchsorted(2 * bdtr(np.arange(discordant + 1), discordant, 0.5), alpha, "right")) - 1
