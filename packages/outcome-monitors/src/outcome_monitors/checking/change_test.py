"""Has it become usual? A sequential test of one way of breaking a clause.

Results come one by one; each breaks the clause in that way, or does not. Two stories are held against each other. *Faults*: it
is broken now and then, in at most a share `FAULTS` of the results. *A change*: from some result on it is broken at one of the
`RATES`. For each rate the likelihood ratio of the two is carried along, and taken up anew from 1 wherever it has fallen below
(Page, 1954): that is how the beginning need not be known. The mean of these is an e-detector (Shin, Ramdas and Rinaldo, "E-detectors",
2023): while faults are no more than that share, it takes on average at least so many results as the bar is high until it passes
the bar, whatever else the results are like.

A task counts once, however often it calls: what breaks again in the same task is neither for nor against. That a change is over
is found in the same way, with the stories exchanged.
"""

from dataclasses import dataclass, field
from math import exp, log

__all__ = ["FAULTS", "RATES", "ChangeTest"]

FAULTS = 0.05
"""The share of results that may break a clause in one and the same way without being a change."""
RATES = (0.15, 0.3, 0.6, 0.95)
"""The shares at which a change may break it."""
LEAST_TASKS = 2
MOST_TASKS = 64
"""Tasks that are remembered; later ones are taken for new."""
OVER = log(1000)
"""The bar for the end of a change."""


@dataclass(slots=True)
class ChangeTest:
    """One way of breaking one clause, over time."""

    faults: float = FAULTS
    logs: list[float] = field(default_factory=lambda: [0.0] * len(RATES))
    """By rate, the logarithm of how much likelier a change is than faults."""
    tasks: list[int] = field(default_factory=list)
    """Hashes of the tasks that have shown it."""
    broken: int = 0
    kept: int = 0
    """Results since the first that breaks it."""
    waiting: int = 0
    """Those of them that kept it since the last break, not yet counted in."""
    changed: bool = False
    least: float = 0.0
    """The share of results that breaks it while a change lasts, at the least: half of what it was when it last did."""
    bar: float = 1.0
    """How much likelier a change must be than faults to be believed: the highest that was asked for."""
    over: float = 0.0
    """Of a change: the logarithm of how much likelier it is that it is over."""

    def breaks(self, task: int, bar: float) -> None:
        """Count a result that breaks it; `bar` is how much likelier a change must be to be believed."""
        if task in self.tasks:
            return
        self.tasks = [*self.tasks[1 - MOST_TASKS :], task]
        self._catch_up()
        self.broken += 1
        self.least = max(2 * self.faults, 0.5 * self.broken / (self.broken + self.kept))
        if self.changed:
            self.over = max(0.0, self.over + log(self.faults / self.least))
        for place, rate in enumerate(RATES):
            self.logs[place] += log(rate / self.faults)
        self.bar = max(self.bar, bar)
        self.believe()

    def believe(self) -> None:
        """Call it a change where enough speaks for it."""
        enough = len(self.tasks) >= LEAST_TASKS and self.evidence >= log(self.bar)
        self.changed = self.changed or enough

    def keeps(self, results: int) -> None:
        """Count results that do not break it."""
        self.waiting += results

    def is_over(self) -> bool:
        """Say whether a change is over, and if so begin anew."""
        self._catch_up()
        if not self.changed or self.over < OVER:
            return False
        self.changed, self.over, self.broken, self.kept = False, 0.0, 0, 0
        self.logs = [0.0] * len(RATES)
        self.tasks = []
        return True

    @property
    def evidence(self) -> float:
        """The logarithm of how much likelier a change is than faults, all rates taken together."""
        most = max(self.logs)
        return most + log(sum(exp(value - most) for value in self.logs) / len(self.logs))

    def _catch_up(self) -> None:
        results, self.waiting = self.waiting, 0
        if not results:
            return
        self.kept += results
        if self.changed:
            self.over += results * log((1 - self.faults) / (1 - self.least))
        for place, rate in enumerate(RATES):
            self.logs[place] = max(0.0, self.logs[place] + results * log((1 - rate) / (1 - self.faults)))
