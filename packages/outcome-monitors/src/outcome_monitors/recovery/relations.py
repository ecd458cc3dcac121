"""Which tools can stand in for which: recovery relations, kept apart from detection.

Contracts say when a result is suspect; relations say what else the agent could call, and what a call does beside answering.
Neither reads a task, a solution or an outcome.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from outcome_monitors.exceptions import RelationError
from outcome_monitors.files import FilePath

from .effects import Effect, named_effect, strongest

__all__ = ["Edit", "Effect", "Relation", "Relations"]


@dataclass(frozen=True, slots=True)
class Relation:
    """A tool that can stand in for another."""

    tool: str
    confidence: float
    """From 0 to 1."""
    source: str
    """What says so: `declared`, `toolmaze`, `signature`, `behaviour`, `chain`, `edited`."""
    why: str
    """The reason, for people."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """How this call's arguments become its own (`arguments`)."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person decided on one substitute; it outlives every mining."""

    tool: str
    substitute: str
    verdict: str
    """`accept`, `reject` or `add`."""
    why: str = ""
    arguments: Mapping[str, str] = field(default_factory=dict)


Ranked = Mapping[str, Iterable[Relation]]


class Relations(Mapping[str, tuple[Relation, ...]]):
    """The substitutes of each tool, best first, each named once; a tool that has none is absent."""

    def __init__(
        self,
        relations: Ranked | None = None,
        *,
        checks: Ranked | None = None,
        effects: Mapping[str, Effect] | None = None,
        needed: Mapping[str, Iterable[str]] | None = None,
        edits: Iterable[Edit] = (),
    ) -> None:
        self._relations = _all_ranked({} if relations is None else relations)
        self.checks = _all_ranked({} if checks is None else checks)
        """For each tool the reads that show something of the same: whether a write took effect, whether a read is right."""
        self.effects = dict(sorted(({} if effects is None else effects).items()))
        """What calling each tool does, where that is known."""
        given = {} if needed is None else needed
        self.needed = {tool: tuple(sorted(given[tool])) for tool in sorted(given)}
        """The arguments that a tool cannot be called without; of a tool that takes others, too."""
        self.edits = tuple(edits)

    def __getitem__(self, tool: str) -> tuple[Relation, ...]:
        return self._relations[tool]

    def __iter__(self) -> Iterator[str]:
        return iter(self._relations)

    def __len__(self) -> int:
        return len(self._relations)

    def __repr__(self) -> str:
        return f"Relations({self._relations!r})"

    @classmethod
    def declared(cls, substitutes: Mapping[str, Sequence[str]]) -> "Relations":
        """Return the relations someone states: {"get_stock": ["quote", "price"]}, best first."""
        for tool, names in substitutes.items():
            if isinstance(names, str) or not all(isinstance(name, str) for name in names):
                raise RelationError(
                    f"the substitutes of {tool!r} are not a list of tool names; write [...] around them"
                )
        return cls(
            {
                tool: [
                    Relation(name, 1.0, "declared", f"declared as a substitute of {tool}") for name in names
                ]
                for tool, names in substitutes.items()
            }
        )

    def merge(self, other: "Relations") -> "Relations":
        """Return both together; where both name a substitute the more confident entry stays, ours where they tie.

        Of two effects the one stays whose source counts for more (`effects`).
        """
        return Relations(
            {tool: (*self.get(tool, ()), *other.get(tool, ())) for tool in {*self, *other}},
            checks={
                tool: (*self.checks.get(tool, ()), *other.checks.get(tool, ()))
                for tool in {*self.checks, *other.checks}
            },
            effects={
                tool: told
                for tool in {*self.effects, *other.effects}
                if (told := strongest(self.effects.get(tool), other.effects.get(tool))) is not None
            },
            needed={**other.needed, **self.needed},
            edits=(*self.edits, *(edit for edit in other.edits if edit not in self.edits)),
        )

    def effect(self, tool: str) -> Effect:
        """Return what is known of calling a tool: what the file says, else what its name does."""
        known = self.effects.get(tool)
        return named_effect(tool) if known is None else known

    def may_write(self, tool: str) -> bool:
        """Say whether calling a tool may change something: it does unless it is known to read."""
        return self.effect(tool).writes

    def save(self, path: FilePath) -> None:
        """Write the file; equal relations give equal bytes."""
        from .relation_file import save  # noqa: PLC0415 - the file's form is a module of its own

        save(self, path)

    @classmethod
    def load(cls, path: FilePath) -> "Relations":
        """Read the file; raise RelationError, naming the entry and the field, where it cannot be used."""
        from .relation_file import load  # noqa: PLC0415 - as above

        return load(path)


def _all_ranked(relations: Ranked) -> dict[str, tuple[Relation, ...]]:
    ranked = {tool: _ranked(tool, found) for tool, found in relations.items()}
    return {tool: ranked[tool] for tool in sorted(ranked) if ranked[tool]}


def _ranked(tool: str, relations: Iterable[Relation]) -> tuple[Relation, ...]:
    # The sort is stable, so among equals the first to come stays first; this makes merging idempotent.
    best_first = sorted(relations, key=lambda relation: -relation.confidence)
    by_name: dict[str, Relation] = {}
    for relation in best_first:
        if relation.tool != tool:
            by_name.setdefault(relation.tool, relation)
    return tuple(by_name.values())
