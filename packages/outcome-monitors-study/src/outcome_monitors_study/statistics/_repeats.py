"""How often every one of several runs of a task is completed."""

from collections.abc import Iterable, Sequence
from math import comb

__all__ = ["pass_every"]


def pass_every(outcomes: Iterable[Sequence[bool]], k: int) -> float | None:
    """Return pass^k: the share of tasks that k runs in a row would complete, each task by the runs that it had.

    Tasks with fewer than k runs are left out; None where there is no other.

    >>> pass_every([[True, True, False], [True, True, True]], 2)
    0.6666666666666666
    """
    shares = [comb(sum(runs), k) / comb(len(runs), k) for runs in outcomes if len(runs) >= k]
    return sum(shares) / len(shares) if shares else None
