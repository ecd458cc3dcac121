"""What is counted while cases are checked; counts of parts add up to those of the whole."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field, fields

from .cases import Case, Corrupted

__all__ = ["FIRST", "AuditTally"]

FIRST = 100
"""Results of each fault that are tried when contracts are mined once more under another budget."""


@dataclass(slots=True)
class AuditTally:
    """Counts by tool, by task, by fault and by violation code."""

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
    """Corrupted results by fault, as are the four that follow."""
    caught: Counter[str] = field(default_factory=Counter)
    net: Counter[str] = field(default_factory=Counter)
    """Caught, where the clean result was not flagged already."""
    first_made: Counter[str] = field(default_factory=Counter)
    """Of rank below `FIRST`, so that several budgets are compared on the same results."""
    first_caught: Counter[str] = field(default_factory=Counter)
    tool_made: Counter[str] = field(default_factory=Counter)
    """Corrupted results by tool."""
    tool_caught: Counter[str] = field(default_factory=Counter)
    clean: Counter[str] = field(default_factory=Counter)
    """Clean results that bear a code, and below those that bear no other."""
    clean_alone: Counter[str] = field(default_factory=Counter)
    faulted: Counter[str] = field(default_factory=Counter)
    """Corrupted results that bear a code, and below those that bear no other."""
    faulted_alone: Counter[str] = field(default_factory=Counter)

    def add(self, other: "AuditTally") -> None:
        """Add the counts of another part."""
        for each in fields(self):
            getattr(self, each.name).update(getattr(other, each.name))

    def count_clean(self, case: Case, codes: Collection[str], *, covered: bool) -> None:
        """Count a clean result."""
        tool = case.call.tool
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

    def count_corrupted(
        self, case: Case, corrupted: Corrupted, codes: Collection[str], *, flagged_anyway: bool
    ) -> None:
        """Count a corrupted result."""
        fault, caught = corrupted.fault, bool(codes)
        self.made[fault] += 1
        self.caught[fault] += caught
        self.net[fault] += caught and not flagged_anyway
        if corrupted.rank < FIRST:
            self.first_made[fault] += 1
            self.first_caught[fault] += caught
        self.tool_made[case.call.tool] += 1
        self.tool_caught[case.call.tool] += caught
        self.faulted.update(codes)
        if len(codes) == 1:
            self.faulted_alone.update(codes)
