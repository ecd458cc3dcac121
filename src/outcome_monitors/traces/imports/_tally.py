"""What became of everything that was read: what was used, what was not, why not, and what to do about it."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from outcome_monitors.exceptions import TraceError

__all__ = ["ImportTally", "Reason"]


class Reason(NamedTuple):
    """Why something could not be used as it is."""

    one: str
    """What it is, with its verb, for a single one: `tool span carries no result`."""
    many: str
    """The same for more: `tool spans carry no result`."""
    then: str
    """What to do about it, or what was done."""
    lost: bool = True
    """Something is missing from the trace lines; with `strict` that is an error."""


@dataclass(slots=True)
class ImportTally:
    """The counts of an import."""

    strict: bool = False
    """Raise TraceError at the first thing that is lost."""
    calls: int = 0
    failed_openly: int = 0
    records: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Records by file and source."""
    reasons: Counter[Reason] = field(default_factory=Counter)
    first: dict[Reason, str] = field(default_factory=dict)
    """Where each reason was met first: file and line."""

    def count(self, reason: Reason, place: str, number: int = 1) -> None:
        """Count what could not be used; `place` names file and line."""
        self.reasons[reason] += number
        self.first.setdefault(reason, place)
        if self.strict and reason.lost:
            raise TraceError(f"{place}: a {reason.one}; {reason.then}, or import without strict")

    def explain(self) -> list[str]:
        """Say what could not be used, what is lost first, each with its number, its first place and the next step."""
        found = sorted(self.reasons.items(), key=lambda item: (not item[0].lost, -item[1]))
        return [
            f"{number:,} {reason.one if number == 1 else reason.many} (first {self.first[reason]}): {reason.then}"
            for reason, number in found
        ]
