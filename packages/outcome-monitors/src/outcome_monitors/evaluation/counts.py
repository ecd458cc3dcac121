"""What is counted while cases are checked; the counts of folds and of draws add up."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import NamedTuple, Self

from outcome_monitors.model import Outcome

from .cases import Case, Corrupted

__all__ = ["AuditCounts", "Counts", "Flags"]


class Flags(NamedTuple):
    """What flags a result: the violation codes, and the kinds of the violated clauses."""

    codes: frozenset[str]
    kinds: frozenset[str]

    @classmethod
    def of(cls, outcome: Outcome) -> "Flags":
        """Return what flags a result by its outcome."""
        return cls(
            frozenset(violation.code for _, violation in outcome.broken),
            frozenset(clause.kind for clause, _ in outcome.broken),
        )


@dataclass(slots=True)
class Counts:
    """Counters that add up, field by field."""

    @classmethod
    def sum(cls, parts: Iterable[Self]) -> Self:
        """Return the counts of all parts together."""
        whole = cls()
        for part in parts:
            for each in fields(cls):
                getattr(whole, each.name).update(getattr(part, each.name))
        return whole


@dataclass(slots=True)
class AuditCounts(Counts):
    """Counts by tool, by task, by fault, by violation code and by kind of clause."""

    calls: Counter[str] = field(default_factory=Counter)
    """Clean calls by tool, as are the four that follow."""
    in_session: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    """Internal errors of checks, of clean results and of corrupted ones."""
    alarms: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Flagged clean results by tool and code."""
    clauses: Counter[str] = field(default_factory=Counter)
    """Learned, by tool."""
    tasks: Counter[str] = field(default_factory=Counter)
    """Clean calls by task."""
    tasks_flagged: Counter[str] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)
    """Corrupted results by fault, as are the two that follow."""
    caught: Counter[str] = field(default_factory=Counter)
    net: Counter[str] = field(default_factory=Counter)
    """Caught, where the clean result was not flagged already."""
    tool_made: Counter[str] = field(default_factory=Counter)
    """Corrupted results by tool."""
    tool_caught: Counter[str] = field(default_factory=Counter)
    clean_codes: Counter[frozenset[str]] = field(default_factory=Counter)
    """Flagged clean results by all their codes, below by all the kinds of clause that flag them."""
    clean_kinds: Counter[frozenset[str]] = field(default_factory=Counter)
    faulted_codes: Counter[frozenset[str]] = field(default_factory=Counter)
    """The same of corrupted results."""
    faulted_kinds: Counter[frozenset[str]] = field(default_factory=Counter)
    built_in_flagged: Counter[str] = field(default_factory=Counter)
    """Clean results that built-in rules alone flag, by tool, and below corrupted ones, by fault."""
    built_in_caught: Counter[str] = field(default_factory=Counter)

    def count_clean(self, case: Case, flags: Flags, *, covered: bool) -> None:
        """Count a clean result."""
        tool, codes = case.call.tool, flags.codes
        self.calls[tool] += 1
        self.in_session[tool] += case.call.session is not None
        self.tasks[case.task] += 1
        self.covered[tool] += covered
        self.flagged[tool] += bool(codes)
        self.tasks_flagged[case.task] += bool(codes)
        self.alarms.update((tool, code) for code in codes)
        if codes:
            self.clean_codes[codes] += 1
            self.clean_kinds[flags.kinds] += 1

    def count_corrupted(
        self, case: Case, corrupted: Corrupted, flags: Flags, *, flagged_anyway: bool
    ) -> None:
        """Count a corrupted result."""
        fault, codes, caught = corrupted.fault, flags.codes, bool(flags.codes)
        self.made[fault] += 1
        self.caught[fault] += caught
        self.net[fault] += caught and not flagged_anyway
        self.tool_made[case.call.tool] += 1
        self.tool_caught[case.call.tool] += caught
        if codes:
            self.faulted_codes[codes] += 1
            self.faulted_kinds[flags.kinds] += 1
