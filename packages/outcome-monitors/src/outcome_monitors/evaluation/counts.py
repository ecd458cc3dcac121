"""What is counted while cases are checked; the counts of folds add up."""

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import NamedTuple

from outcome_monitors.model import Outcome

from .cases import Case, Corrupted

__all__ = ["AuditCounts", "Flags"]


class Flags(NamedTuple):
    """What flags a result: the violation codes that it bears, and the kinds of the clauses behind them."""

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
class AuditCounts:
    """Counts by tool, by task, by fault, by violation code and by kind of clause."""

    calls: Counter[str] = field(default_factory=Counter)
    """Clean calls by tool, as are the four that follow."""
    in_session: Counter[str] = field(default_factory=Counter)
    covered: Counter[str] = field(default_factory=Counter)
    flagged: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    """Checks that went wrong inside, of clean results and of corrupted ones."""
    alarms: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Clean results that bear a code, by tool and code."""
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
    clean: Counter[str] = field(default_factory=Counter)
    """Clean results that bear a code, and below those that bear no other."""
    clean_alone: Counter[str] = field(default_factory=Counter)
    faulted: Counter[str] = field(default_factory=Counter)
    """Corrupted results that bear a code, and below those that bear no other."""
    faulted_alone: Counter[str] = field(default_factory=Counter)
    clean_kinds: Counter[frozenset[str]] = field(default_factory=Counter)
    """Flagged clean results by all the kinds of clause that flag them, and below the corrupted ones."""
    faulted_kinds: Counter[frozenset[str]] = field(default_factory=Counter)
    built_in_flagged: Counter[str] = field(default_factory=Counter)
    """Clean results that built-in rules alone flag, by tool, and below corrupted ones, by fault."""
    built_in_caught: Counter[str] = field(default_factory=Counter)

    def add(self, other: "AuditCounts") -> None:
        """Add the counts of another part."""
        for each in fields(self):
            getattr(self, each.name).update(getattr(other, each.name))

    def count_clean(self, case: Case, flags: Flags, *, covered: bool) -> None:
        """Count a clean result."""
        tool, codes = case.call.tool, flags.codes
        self.calls[tool] += 1
        self.in_session[tool] += case.call.session is not None
        self.tasks[case.task] += 1
        self.covered[tool] += covered
        self.flagged[tool] += bool(codes)
        self.tasks_flagged[case.task] += bool(codes)
        self.clean.update(codes)
        self.alarms.update((tool, code) for code in codes)
        if len(codes) == 1:
            self.clean_alone.update(codes)
        if codes:
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
        self.faulted.update(codes)
        if len(codes) == 1:
            self.faulted_alone.update(codes)
        if codes:
            self.faulted_kinds[flags.kinds] += 1
