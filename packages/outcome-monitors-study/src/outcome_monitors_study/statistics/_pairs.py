"""Pairs of episodes, counted by what became of each: rescue, harm, both pass, both fail."""

from collections.abc import Iterable
from dataclasses import dataclass

from ._mcnemar import mcnemar_exact

__all__ = ["Pairs", "break_even", "prevalence_effect", "tally"]


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
        return Pairs(
            self.rescue + other.rescue,
            self.harm + other.harm,
            self.both_pass + other.both_pass,
            self.both_fail + other.both_fail,
        )


def tally(pairs: Iterable[tuple[bool, bool]]) -> Pairs:
    """Count pairs of (baseline completed, treatment completed)."""
    seen = list(pairs)
    return Pairs(
        rescue=seen.count((False, True)),
        harm=seen.count((True, False)),
        both_pass=seen.count((True, True)),
        both_fail=seen.count((False, False)),
    )


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
