"""Sequential change detection for one drift signature: has it become normal?

Two hypotheses are held against each other. *Faults*: at most a share `fault_rate` of results violates the clause in this way. *A
change*: from some result on, one of the `drift_rates` does. For each rate the likelihood ratio is carried along and taken up anew from
1 wherever it falls below (Page, 1954), so the beginning need not be known. Their mean is an e-detector (Shin, Ramdas and Rinaldo,
"E-detectors", 2023): under the first hypothesis it takes on average at least as many results as the threshold is high to pass it.

A task counts once, however often it calls. That a change is over is found in the same way, with the hypotheses exchanged.
"""

from dataclasses import dataclass, field
from math import exp, log

from .config import CONFIG

__all__ = ["ChangeTest"]

RATES = CONFIG.drift_rates


@dataclass(slots=True)
class ChangeTest:
    """The test of one drift signature."""

    faults: float = CONFIG.fault_rate
    logs: list[float] = field(default_factory=lambda: [0.0] * len(RATES))
    """By rate, the logarithm of the likelihood ratio of a change."""
    tasks: list[int] = field(default_factory=list)
    """Hashes of the tasks that have shown it."""
    violated: int = 0
    passed: int = 0
    """Results since the first violation that have none."""
    waiting: int = 0
    """Those of them since the last violation, not yet counted in."""
    changed: bool = False
    least: float = 0.0
    """The share of results that violates it while a change lasts, at the least: half of what it was when it last did."""
    bar: float = 1.0
    """The likelihood ratio from which a change is believed: the highest that was asked for."""
    over: float = 0.0
    """Of a change: the logarithm of how much likelier it is that it is over."""

    def observe_violation(self, task: int, bar: float) -> None:
        """Count a result that violates it; `bar` is how much likelier a change must be to be believed."""
        if task in self.tasks:
            return
        self.tasks = [*self.tasks[1 - CONFIG.max_tasks :], task]
        self._catch_up()
        self.violated += 1
        self.least = max(2 * self.faults, 0.5 * self.violated / (self.violated + self.passed))
        if self.changed:
            self.over = max(0.0, self.over + log(self.faults / self.least))
        for place, rate in enumerate(RATES):
            self.logs[place] += log(rate / self.faults)
        self.bar = max(self.bar, bar)
        self.believe()

    def believe(self) -> None:
        """Call it a change where the evidence suffices."""
        enough = len(self.tasks) >= CONFIG.least_tasks and self.evidence >= log(self.bar)
        self.changed = self.changed or enough

    def observe_passes(self, results: int) -> None:
        """Count results that do not violate it."""
        self.waiting += results

    def is_over(self) -> bool:
        """Say whether a change is over, and if so begin anew."""
        self._catch_up()
        if not self.changed or self.over < CONFIG.reverted:
            return False
        self.changed, self.over, self.violated, self.passed = False, 0.0, 0, 0
        self.logs = [0.0] * len(RATES)
        self.tasks = []
        return True

    @property
    def evidence(self) -> float:
        """The logarithm of the likelihood ratio of a change, all rates taken together."""
        most = max(self.logs)
        return most + log(sum(exp(value - most) for value in self.logs) / len(self.logs))

    def _catch_up(self) -> None:
        results, self.waiting = self.waiting, 0
        if not results:
            return
        self.passed += results
        if self.changed:
            self.over += results * log((1 - self.faults) / (1 - self.least))
        for place, rate in enumerate(RATES):
            self.logs[place] = max(0.0, self.logs[place] + results * log((1 - rate) / (1 - self.faults)))
