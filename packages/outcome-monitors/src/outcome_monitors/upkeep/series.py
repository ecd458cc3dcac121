"""What the order of calls says: from when on a clause is broken, and whether what breaks it has become usual."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log

from outcome_monitors.alerting.change_test import ChangeTest

__all__ = ["TurningPoint", "becomes_usual", "turning_point"]


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """Where a series turns from mostly held to mostly broken."""

    start: int
    """The place in the series, from 0, of the first one after the turn."""
    before: float
    """The share that is broken before it; 0 where nothing is before."""
    after: float


def turning_point(broken: Sequence[bool]) -> TurningPoint:
    """Return the most likely turn: one share of broken calls before it, and a higher one from it to the end.

    A series that is broken alike from its beginning turns at 0. The series must not be empty.
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
    before = count[start] / start if start else 0.0
    return TurningPoint(start, before, (count[whole] - count[start]) / (whole - start))


def _likelihood(broken: int, calls: int) -> float:
    """Return the logarithm of how likely so many broken calls are at their own share."""
    held = calls - broken
    return (broken * log(broken / calls) if broken else 0.0) + (held * log(held / calls) if held else 0.0)


def becomes_usual(news: Iterable[tuple[int, str]], tasks: Sequence[int], faults: float, bar: float) -> bool:
    """Say whether one of the news is a change at the end, by the test that decides live what is told no more.

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
