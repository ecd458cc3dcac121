"""One source while it is read: what it gave so far, what it did not, how much work it may still cause; and the report of it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.model import Contract, Json

from ._shape import Some, Where, clauses


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


# A schema of a few hundred bytes can unfold to more than any memory holds, and so can honest ones in which everything refers to
# everything. So each is read a few levels deep first, then deeper as long as the bounds allow.
LEVELS = (4, 8, 16, 32, 64)
MOST_CLAUSES = 5_000
MOST_STEPS = 30_000
MOST_STEPS_OF_ALL = 10_000_000


class _TooLargeError(Exception):
    """A schema unfolds to more than is read; its text says which bound it passed."""


@dataclass(slots=True)
class _Notes:
    """What one reading of a schema could not use."""

    refused: dict[Refusal, None] = field(default_factory=dict)
    unused: dict[tuple[str, int], None] = field(default_factory=dict)
    cuts: list[Where] = field(default_factory=list)
    steps: int = 0


class SourceReading:
    """Gathers the contracts of one source, with the places that gave none."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.file = source
        """The file that clauses name; a folder has several."""
        self.tool = ""
        """The tool that is being read."""
        self._candidates = 0
        self._accepted: dict[str, Contract] = {}
        self._notes = _Notes()
        self._steps_of_all = 0

    def refuse(self, where: Where, why: str) -> None:
        """Report that a place gives no clause."""
        self._notes.refused[Refusal(self.tool, _written(where), why)] = None

    def cut(self, where: Where) -> None:
        """Report that a place is too deep to be read."""
        self._notes.cuts.append(where)

    def unused(self, keyword: str, schema: Json) -> None:
        """Count a constraint that no clause carries, once for each place however often it is reached."""
        self._notes.unused[clip_text(keyword), id(schema)] = None

    def spend(self, steps: int) -> None:
        """Count work, and give up where it is too much."""
        self._notes.steps += steps
        self._steps_of_all += steps
        if self._notes.steps > MOST_STEPS:
            raise _TooLargeError(f"unfolds to more than {MOST_STEPS:,} places")
        if self._steps_of_all > MOST_STEPS_OF_ALL:
            raise _TooLargeError(f"the whole document unfolds to more than {MOST_STEPS_OF_ALL:,} places")

    def contract(self, where: Where, shape: Callable[[int], Some]) -> None:
        """Accept the contract of the current tool, or report why there is none; `shape` reads it so many levels deep."""
        self._candidates += 1
        if self.tool in self._accepted:
            self.refuse(where, "another contract for a tool of this name was accepted before it")
            return
        outer, best, too_large = self._notes, None, ""
        for levels in LEVELS:
            self._notes = notes = _Notes()
            try:
                best = self._contract(shape(levels)), notes, levels
            except _TooLargeError as error:
                too_large = str(error)
                break
            if not notes.cuts:
                break
        self._notes = outer
        if best is None:
            self.refuse(where, f"refused whole: {too_large}")
            return
        contract, notes, levels = best
        outer.refused |= notes.refused
        outer.unused |= notes.unused
        if notes.cuts:
            others = f", as are {len(notes.cuts) - 1:,} other places" if len(notes.cuts) > 1 else ""
            reason = f"; read deeper: {too_large}" if too_large else ""
            self.refuse(
                notes.cuts[0], f"deeper than {levels} levels{others}: nothing below is checked{reason}"
            )
        if contract.clauses:
            self._accepted[self.tool] = contract
        else:
            self.refuse(where, "says nothing of the types or fields of the result")

    def _contract(self, shape: Some) -> Contract:
        found = []
        for clause in clauses(shape, f"schema:{self.file}", self.spend, self.refuse):
            found.append(clause)
            if len(found) > MOST_CLAUSES:
                raise _TooLargeError(f"gives more than {MOST_CLAUSES:,} clauses")
        return Contract(self.tool, tuple(sorted(found, key=lambda clause: (clause.path, clause.kind))))

    def report(self) -> Report:
        """Return all of it."""
        unused = Counter(keyword for keyword, _ in self._notes.unused)
        return Report(
            source=self.source,
            candidates=self._candidates,
            accepted=tuple(self._accepted.values()),
            refused=tuple(self._notes.refused),
            unused=dict(sorted(unused.items())),
        )


def _written(where: Where) -> str:
    """Return a place as a JSON pointer, each part short enough to be shown."""
    root, *keys = where
    return str(root) + "".join(
        f"/{clip_text(str(key)).replace('~', '~0').replace('/', '~1')}" for key in keys
    )
