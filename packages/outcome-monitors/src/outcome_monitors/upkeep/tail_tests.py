"""Could it be chance? Exact tails, and what many tests at once cost. Plain arithmetic, no tables, no approximations."""

from collections.abc import Sequence
from math import exp, fsum, lgamma, log, log1p

__all__ = ["all_in_new", "at_least", "benjamini_hochberg"]

_NEGLIGIBLE = 1e-17


def at_least(count: int, trials: int, share: float) -> float:
    """Return the chance of `count` or more of `trials` where each comes up with probability `share` (the binomial tail).

    >>> round(at_least(2, 3, 0.5), 12)
    0.5
    """
    if count <= 0:
        return 1.0
    if count > trials or share <= 0:
        return 0.0
    if share >= 1:
        return 1.0
    terms: list[float] = []
    for number in range(count, trials + 1):
        ways = lgamma(trials + 1) - lgamma(number + 1) - lgamma(trials - number + 1)
        terms.append(exp(ways + number * log(share) + (trials - number) * log1p(-share)))
        # Past the mean the terms fall faster and faster.
        if number > trials * share and terms[-1] < _NEGLIGIBLE * terms[0]:
            break
    return min(1.0, fsum(terms))


def all_in_new(count: int, new: int, old: int) -> float:
    """Return the chance that `count` of `new` and `old` tasks together, drawn blindly, are all new ones.

    That is Fisher's exact test of a clause that held in all `old` tasks against the `count` of `new` ones that break it. With no
    old tasks it is 1: there is nothing to compare with.

    >>> round(all_in_new(1, 1, 9), 12)
    0.1
    """
    chance = 1.0
    for drawn in range(count):
        chance *= (new - drawn) / (new + old - drawn)
    return chance


def benjamini_hochberg(chances: Sequence[float]) -> list[float]:
    """Return each chance adjusted for how many there are: those below a level are, but for that share of them, no accident.

    >>> benjamini_hochberg([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.03]
    """
    order = sorted(range(len(chances)), key=lambda index: (-chances[index], index))
    adjusted = [1.0] * len(chances)
    least = 1.0
    for place, index in enumerate(order):
        least = min(least, chances[index] * (len(chances) / (len(chances) - place)))
        adjusted[index] = least
    return adjusted
