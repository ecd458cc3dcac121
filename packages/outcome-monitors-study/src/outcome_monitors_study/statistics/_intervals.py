"""Intervals for shares, and for the difference of two shares."""

from math import sqrt
from typing import NamedTuple

from outcome_monitors.reports import Share

__all__ = ["Interval", "newcombe", "wilson"]


class Interval(NamedTuple):
    """From where to where, at 95%."""

    low: float
    high: float


def wilson(part: int, whole: int) -> Interval:
    """Return the Wilson score interval of a share; of nothing it is all there is."""
    return Interval(*(Share(part, whole).interval or (0.0, 1.0)))


def newcombe(part: int, whole: int, other_part: int, other_whole: int) -> Interval:
    """Return Newcombe's hybrid score interval of a share minus another, for samples that are independent.

    It is for arms that share no task; for pairs take `cluster_bootstrap`.
    """
    first, second = wilson(part, whole), wilson(other_part, other_whole)
    if not whole or not other_whole:
        return Interval(-1.0, 1.0)
    one, two = part / whole, other_part / other_whole
    return Interval(
        one - two - sqrt((one - first.low) ** 2 + (second.high - two) ** 2),
        one - two + sqrt((first.high - one) ** 2 + (two - second.low) ** 2),
    )
