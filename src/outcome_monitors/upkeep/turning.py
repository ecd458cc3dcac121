"""From when on is it broken? The split of a series of calls that tells them apart best."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log

__all__ = ["TurningPoint", "turning_point"]


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
    best, start = _likelihood(count[whole], whole), 0
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
