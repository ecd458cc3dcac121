"""What is counted of tools on trial, how one stands, and what becomes of it: the nouns between decision (`trials`) and file."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from .stages import ClauseTrial, StageTrial
from .witnesses import ClientHour

__all__ = ["Batch", "ClauseRow", "Moves", "Snapshot"]


@dataclass(slots=True)
class Batch:
    """What is to be counted."""

    seen: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    """Results by tool, client and hour."""
    broken: Counter[str] = field(default_factory=Counter)
    flagged: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By tool and clause."""
    told: Counter[str] = field(default_factory=Counter)
    """Results that the agent was told of, or would have been,"""
    noise: Counter[tuple[str, str]] = field(default_factory=Counter)
    """and the clauses of which."""

    def add(self, other: "Batch") -> None:
        """Count what is in another, too."""
        self.seen += other.seen
        self.broken += other.broken
        self.flagged += other.flagged
        self.told += other.told
        self.noise += other.noise

    def renamed(self, name: Callable[[str], str]) -> "Batch":
        """Return the same, of tools that are called something else."""
        return Batch(
            Counter({(name(tool), client, hour): many for (tool, client, hour), many in self.seen.items()}),
            Counter({name(tool): many for tool, many in self.broken.items()}),
            Counter({(name(tool), clause): many for (tool, clause), many in self.flagged.items()}),
            Counter({name(tool): many for tool, many in self.told.items()}),
            Counter({(name(tool), clause): many for (tool, clause), many in self.noise.items()}),
        )

    def results(self) -> Counter[str]:
        """Return the results of each tool."""
        found: Counter[str] = Counter()
        for (tool, _, _), results in self.seen.items():
            found[tool] += results
        return found


class ClauseRow(NamedTuple):
    """What is written of a clause whose trial begins."""

    tool: str
    clause: str
    kind: str
    begun: int
    trial: str
    """What it says, as JSON."""
    proven: str | None = None


@dataclass(slots=True)
class Snapshot:
    """How one tool stands."""

    trial: StageTrial | None
    clauses: Mapping[str, ClauseTrial]
    witnesses: Mapping[ClientHour, int]
    """With how many results there had been when each was last heard of."""

    def since(self, begun: int) -> list[ClientHour]:
        """Return the witnesses that were heard of since then."""
        return [witness for witness, last in self.witnesses.items() if last > begun]


@dataclass(slots=True)
class Moves:
    """What becomes of one tool."""

    trial: StageTrial | None = None
    begin: list[ClauseRow] = field(default_factory=list)
    """Trials that begin, or begin anew; where a version was in force, it is kept."""
    prove: list[tuple[str, int]] = field(default_factory=list)
    """Clauses whose version on trial is in force from now on, with when that trial began: another may have begun since."""
    doubt: list[str] = field(default_factory=list)
    """Clauses that were told of too often: what is in force of them is on trial once more."""
    drop: list[str] = field(default_factory=list)

    def renamed(self, name: Callable[[str], str]) -> "Moves":
        """Return the same, of a tool that is called something else."""
        return replace(self, begin=[row._replace(tool=name(row.tool)) for row in self.begin])

    def __bool__(self) -> bool:
        return bool(self.trial or self.begin or self.prove or self.doubt or self.drop)
