"""How small an effect a study could have seen: a null result says no more than that."""

import random
from functools import lru_cache
from math import comb

from outcome_monitors.exceptions import OutcomeMonitorsError

from ._mcnemar import mcnemar_exact
from ._signflip import signed_sums

__all__ = ["minimum_detectable_effect", "power"]

STEP = 0.01
"""Effects are tried point by point."""
SIMULATIONS = 10_000
SEED = 42


def minimum_detectable_effect(
    pairs: int, baseline: float = 0.5, *, per_task: int = 1, target: float = 0.8, alpha: float = 0.05
) -> float | None:
    """Return the smallest effect, in steps of a point, that the paired test finds with power `target`.

    `baseline` is the share that the baseline completes; the arms are taken as independent within a pair, the cautious
    choice. With `per_task` pairs a task the test is the sign-flip test clustered by task. It is None where no gain that is
    left above the baseline would be found.

    >>> minimum_detectable_effect(50, 0.7)
    0.23
    """
    low, most = 0, int((1 - baseline) / STEP + 1e-9)
    high = most + 1
    while high - low > 1:  # power rises with the effect
        middle = (low + high) // 2
        if power(pairs, baseline, middle * STEP, per_task=per_task, alpha=alpha) >= target:
            high = middle
        else:
            low = middle
    return round(high * STEP, 10) if high <= most else None


def power(pairs: int, baseline: float, effect: float, *, per_task: int = 1, alpha: float = 0.05) -> float:
    """Return the chance that the paired test finds an effect: worked out for one pair a task, simulated for more."""
    treatment = baseline + effect
    if pairs < 1 or per_task < 1 or not 0 <= baseline <= 1 or not 0 <= treatment <= 1 + 1e-12:
        raise OutcomeMonitorsError("power needs at least one pair, and completed shares between 0 and 1")
    win, loss = (1 - baseline) * min(1.0, treatment), baseline * (1 - min(1.0, treatment))
    if per_task > 1:
        return _simulated(max(1, pairs // per_task), per_task, win, loss, alpha)
    differ = win + loss
    return sum(
        _binomial(pairs, discordant, differ) * _found(discordant, win / differ, alpha)
        for discordant in range(1, pairs + 1)
        if differ
    )


def _found(discordant: int, share: float, alpha: float) -> float:
    """Return the chance that a test of so many discordant pairs finds something."""
    most = _most_losses(discordant, alpha)
    return sum(
        _binomial(discordant, losses, 1 - share) + _binomial(discordant, losses, share)
        for losses in range(most + 1)
    )


@lru_cache(maxsize=4096)
def _most_losses(discordant: int, alpha: float) -> int:
    """Return how many of the rarer kind are still significant; -1 where none are."""
    return next((k - 1 for k in range(discordant + 1) if mcnemar_exact(k, discordant - k) > alpha), -1)


def _binomial(count: int, hits: int, chance: float) -> float:
    return comb(count, hits) * chance**hits * (1 - chance) ** (count - hits)


def _simulated(tasks: int, per_task: int, win: float, loss: float, alpha: float) -> float:
    rng = random.Random(SEED)  # noqa: S311 - a simulation, not a secret
    weights = (win, loss, 1 - win - loss)
    # What a whole task may add up to is drawn once per task, not pair by pair.
    sums, chances = zip(*_task_sums(per_task, weights).items(), strict=True)
    found = 0
    for _ in range(SIMULATIONS):
        drawn = rng.choices(sums, chances, k=tasks)
        sizes = tuple(sum(abs(value) == size for value in drawn) for size in range(1, per_task + 1))
        found += abs(sum(drawn)) >= _critical(sizes, alpha)
    return found / SIMULATIONS


def _task_sums(per_task: int, weights: tuple[float, float, float]) -> dict[int, float]:
    sums = {0: 1.0}
    for _ in range(per_task):
        after: dict[int, float] = {}
        for total, chance in sums.items():
            for step, weight in zip((1, -1, 0), weights, strict=True):
                after[total + step] = after.get(total + step, 0.0) + chance * weight
        sums = after
    return sums


@lru_cache(maxsize=65_536)
def _critical(sizes: tuple[int, ...], alpha: float) -> int:
    """Return the least sum that is significant, where so many tasks differ by 1, by 2, and so on."""
    differences = [size for size, count in enumerate(sizes, 1) for _ in range(count)]
    ways = signed_sums(differences)
    allowed, least = alpha * (1 << len(differences)), sum(differences) + 1
    for total in sorted((total for total in ways if total > 0), reverse=True):
        allowed -= 2 * ways[total]
        if allowed < 0:
            break
        least = total
    return least
