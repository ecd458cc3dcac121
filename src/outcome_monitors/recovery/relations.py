"""Which tools can stand in for which: recovery relations, kept apart from detection.

Contracts say when a result is suspect; relations say what else the agent could call, and what a call does beside answering.
Neither reads a task, a solution or an outcome.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from outcome_monitors.exceptions import RelationError
from outcome_monitors.values.files import FilePath

from .effects import Effect, named_effect, strongest

__all__ = ["AGAIN", "Edit", "Effect", "Relation", "Relations", "admissible", "recovery_actions"]


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
        edits: Iterable[Edit] = (),
    ) -> None:
        self._relations = _all_ranked(relations or {})
        self.checks = _all_ranked(checks or {})
        """For each tool the reads that show something of the same: whether a write took effect, whether a read is right."""
        self.effects = dict(sorted((effects or {}).items()))
        """What calling each tool does, where that is known."""
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
            edits=(*self.edits, *(edit for edit in other.edits if edit not in self.edits)),
        )

    def effect(self, tool: str) -> Effect | None:
        """Return what is known of calling a tool: what the file says, else what its name does."""
        known = self.effects.get(tool)
        return named_effect(tool) if known is None else known

    def may_write(self, tool: str) -> bool:
        """Say whether calling a tool may change something: it does unless it is known to read."""
        effect = self.effect(tool)
        return effect is None or effect.writes

    def save(self, path: FilePath) -> None:
        """Write the file; equal relations give equal bytes."""
        from .relation_file import save  # noqa: PLC0415 - the file's form is a module of its own

        save(self, path)

    @classmethod
    def load(cls, path: FilePath) -> "Relations":
        """Read the file; raise RelationError, naming the entry and the field, where it cannot be used."""
        from .relation_file import load  # noqa: PLC0415 - as above

        return load(path)


MOST_LISTED = 5
"""Actions of a receipt, the flagged tool among them: few, and the best ones."""


def recovery_actions(tool: str, relations: Relations, visible: Collection[str] | None) -> tuple[str, ...]:
    """Return the list of the paper's Algorithm 1: the tool itself, then those of its substitutes that are visible.

    The tool has just been called, so it is listed whatever `visible` says. Where the visible tools are not known (None)
    it is the only one certain to be callable, and a receipt never names a tool the agent cannot call.
    """
    substitutes = (relation.tool for relation in relations.get(tool, ()))
    callable_ones = (name for name in substitutes if visible is not None and name in visible)
    return tuple(dict.fromkeys((tool, *callable_ones)))


def admissible(
    tool: str, relations: Relations, visible: Collection[str] | None, suspects: Collection[str] = ()
) -> list[Relation]:
    """Return what a receipt lists, best first: Algorithm 1's list without what is not safe, then the checks.

    Of a tool that writes only checks are listed: neither it nor another that writes the same, since the first call may have
    taken effect. `suspects` are tools whose own last result had the same fault.
    """
    effect = relations.effect(tool)
    writes = effect is not None and effect.writes
    first = () if writes or tool in suspects else (_again(tool),)
    others = () if writes else relations.get(tool, ())
    found: dict[str, Relation] = {relation.tool: relation for relation in first}
    if visible is not None:
        for relation in (*others, *relations.checks.get(tool, ())):
            name = relation.tool
            if name in visible and name not in suspects and name != tool:
                found.setdefault(name, relation)
    return list(found.values())[:MOST_LISTED]


AGAIN = "again"
"""The source of the action that calls the same tool once more."""


@lru_cache(maxsize=4096)
def _again(tool: str) -> Relation:
    return Relation(tool, 1.0, AGAIN, "the same call again")


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
