"""What reading a source gave: the contracts, and by name all that could not be used."""

from collections.abc import Mapping
from dataclasses import dataclass

from outcome_monitors.model import Contract

__all__ = ["Refusal", "Report"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """One part of a source that gave no clause, and why."""

    tool: str
    """Empty where it concerns the whole document."""
    where: str
    """The place in the document, as a JSON pointer behind `#`."""
    why: str


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in one source."""

    source: str
    candidates: int
    """Tools or operations that had a schema to look at."""
    accepted: tuple[Contract, ...]
    refused: tuple[Refusal, ...]
    unused: Mapping[str, int]
    """Constraint keywords that no clause carries, with the number of places where they stand."""
