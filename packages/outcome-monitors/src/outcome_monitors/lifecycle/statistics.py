"""What counts and the order of calls say of a clause: could it be chance, from when on is it broken, and has that become usual?

Exact tails, and what many tests at once cost: plain arithmetic, no tables, no approximations.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import exp, fsum, lgamma, log, log1p

from outcome_monitors.alerting.changes import ChangeTest

__all__ = ["all_in_new", "at_least", "becomes_usual", "benjamini_hochberg", "turning_point"]


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
        if number > trials * share and terms[-1] < 1e-17 * terms[0]:
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


def turning_point(broken: Sequence[bool]) -> tuple[int, float]:
    """Return where a series turns from mostly held to mostly broken, and the share that is broken from there on.

    It is the most likely split into two shares. A series that is broken alike from its beginning turns at 0. It must not be empty.
    """
    count = [0, *accumulate(map(int, broken))]
    whole = len(broken)
    # A turn is one more thing to say, and must be worth it (Schwarz, 1978): every series has a best split.
    best, start = _likelihood(count[whole], whole) + log(whole), 0
    for split in range(1, whole):
        early, late = count[split], count[whole] - count[split]
        # Only a turn for the worse is one.
        if late * split <= early * (whole - split):
            continue
        found = _likelihood(early, split) + _likelihood(late, whole - split)
        if found > best + 1e-9:
            best, start = found, split
    return start, (count[whole] - count[start]) / (whole - start)


def _likelihood(broken: int, calls: int) -> float:
    """Return the logarithm of how likely so many broken calls are at their own share."""
    held = calls - broken
    return (broken * log(broken / calls) if broken else 0.0) + (held * log(held / calls) if held else 0.0)


def becomes_usual(news: Iterable[tuple[int, str]], tasks: Sequence[int], faults: float, bar: float) -> bool:
    """Say whether one of the news is a change at the end, by the live change test.

    `news` has the places in the series where there are some, in order; `tasks` the task of each place. `faults` is the share of
    places that may have the same news without being a change, and `bar` how much likelier a change must be.
    """
    tests: dict[str, ChangeTest] = {}
    last: dict[str, int] = {}
    for place, what in news:
        test = tests.setdefault(what, ChangeTest(faults))
        test.observe_passes(place - last.get(what, place - 1) - 1)
        # A change that was over by then is one no more.
        test.is_over()
        test.observe_violation(tasks[place], bar)
        last[what] = place
    for what, test in tests.items():
        test.observe_passes(len(tasks) - last[what] - 1)
    return any(not test.is_over() and test.changed for test in tests.values())
