"""Which tools can stand in for which, and what a receipt lists of them: recovery relations, kept apart from detection.

Contracts say when a result is suspect; relations say what else the agent could call, and what a call does beside answering.
Neither reads a task, a solution or an outcome.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import get_args

from outcome_monitors.exceptions import RelationError
from outcome_monitors.features.feature import Feature
from outcome_monitors.files import FilePath
from outcome_monitors.jsonvalue.text import last_word
from outcome_monitors.model import Clause, Json, Listing

from .effects import Effect, named_effect, strongest


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
        needed: Mapping[str, Iterable[str] | Mapping[str, str]] | None = None,
        paging: Mapping[str, Iterable[str]] | None = None,
        edits: Iterable[Edit] = (),
    ) -> None:
        self._relations = _all_ranked({} if relations is None else relations)
        self.checks = _all_ranked({} if checks is None else checks)
        """For each tool the reads that show something of the same: whether a write took effect, whether a read is right."""
        self.effects = dict(sorted(({} if effects is None else effects).items()))
        """What calling each tool does, where that is known."""
        self.needed = {
            tool: dict(
                sorted(names.items() if isinstance(names, Mapping) else ((name, "any") for name in names))
            )
            for tool, names in sorted(({} if needed is None else needed).items())
        }
        """The arguments that a tool cannot be called without, with their types (`arguments.complete`)."""
        self.paging = {
            tool: tuple(names) for tool, names in sorted(({} if paging is None else paging).items())
        }
        """The arguments by which a tool gives another part of a long answer."""
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
            paging={**other.paging, **self.paging},
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


LISTS: tuple[Listing, ...] = get_args(Listing)
MOST_LISTED = 3
"""Actions of a safe list, the flagged tool among them: few, and the best ones."""
AGAIN = "again"
"""The source of the action that makes the same call once more; its arguments name the one to change where that does not help."""
FEWER = "fewer"
"""The source of the action that calls the same tool with fewer arguments."""
CHANGED = "changed"
"""The source of the action that calls the same tool with another value of an argument, which it names."""

Arguments = Mapping[str, Json]
_NONE: Arguments = {}


def actions(
    kind: Listing,
    tool: str,
    relations: Relations,
    visible: Collection[str] | None,
    *,
    suspects: Collection[str] = (),
    arguments: Arguments = _NONE,
    at_fault: Collection[str] = (),
) -> list[Relation]:
    """Return what a receipt lists, each with the reason and how it is called.

    The published list is that of the paper's Algorithm 1: the tool itself, then its substitutes in sight, whatever calling them does.
    The safe list calls nothing twice that may act twice, and looks further for something to ask.
    """
    if kind == "published":
        return published(tool, relations, visible)
    return safe(tool, relations, visible, suspects, arguments, at_fault)


def published(tool: str, relations: Relations, visible: Collection[str] | None) -> list[Relation]:
    """Return the list of the paper's Algorithm 1: the tool itself, then those of its substitutes that are visible.

    The tool has just been called, so it is listed whatever `visible` says. Where the visible tools are not known (None)
    it is the only one certain to be callable, and a receipt never names a tool the agent cannot call.
    """
    seen = () if visible is None else visible
    return [_again(tool), *(found for found in relations.get(tool, ()) if found.tool in seen)]


def safe(
    tool: str,
    relations: Relations,
    visible: Collection[str] | None,
    suspects: Collection[str] = (),
    arguments: Arguments = _NONE,
    at_fault: Collection[str] = (),
) -> list[Relation]:
    """Return what can be called without acting twice, best first: the tool itself, its substitutes, the checks.

    A tool that writes, or of which nobody knows, is not called again, nor is another that may write the same: the reads are
    listed that show whether it took effect, and the tool itself after them where calling it again is said to do nothing more.
    `suspects` are tools that were asked the same and had the same fault; of the tool itself a call with fewer arguments is left.
    """
    effect = relations.effect(tool)
    found: dict[str, Relation] = {}
    for relation in (
        *(() if effect.writes else _itself(tool, relations, suspects, arguments, at_fault)),
        *_others(tool, relations, () if visible is None else visible, suspects, writes=effect.writes),
        *((_again(tool),) if effect.writes and effect.repeatable and tool not in suspects else ()),
    ):
        found.setdefault(relation.tool, relation)
    return list(found.values())[:MOST_LISTED]


def _itself(
    tool: str,
    relations: Relations,
    suspects: Collection[str],
    arguments: Arguments,
    at_fault: Collection[str],
) -> Iterator[Relation]:
    """Yield the calls of the tool itself, which does not write."""
    needed = relations.needed.get(tool)
    changed = _changeable(arguments, needed or (), at_fault)
    if tool not in suspects:
        yield _again(tool, changed)
    if needed is not None:
        yield from _with_fewer(tool, needed, arguments, at_fault)
    if changed:
        yield Relation(tool, 0.5, CHANGED, f"the same with another `{changed}`", {changed: changed})


_ASKED = frozenset(
    "expression keyword keywords location path pattern q query question search term terms title topic uri url".split()  # noqa: SIM905 - words read better as words
)
"""Last words of arguments that say what is looked for, and where: another wording or source may find it. An id has no other."""


def _changeable(arguments: Arguments, needed: Collection[str], at_fault: Collection[str]) -> str:
    """Return the argument of which another value may help: one at fault before the others, a needed one before the rest.

    A filter that was ignored, or an id that was answered for another thing, is what was wanted: to change it would not help.
    """
    found = (*at_fault, *needed, *arguments)
    return next((name for name in found if name in arguments and last_word(name) in _ASKED), "")


def _with_fewer(
    tool: str, needed: Collection[str], arguments: Arguments, at_fault: Collection[str]
) -> Iterator[Relation]:
    """Yield the same call without the arguments at fault; where none can be named, without all that may be left out."""
    spare = [name for name in arguments if name not in needed]
    left_out = [name for name in spare if name in at_fault] or spare
    if left_out:
        why = f"the same without {', '.join(f'`{name}`' for name in left_out)}"
        kept = {name: name for name in arguments if name not in left_out}
        yield Relation(tool, 0.5, FEWER, why, kept)


def _others(
    tool: str, relations: Relations, visible: Collection[str], suspects: Collection[str], *, writes: bool
) -> Iterator[Relation]:
    """Yield the substitutes and the checks that are in sight, are no suspects, and do not write."""
    for relation in (*relations.get(tool, ()), *relations.checks.get(tool, ())):
        name, does = relation.tool, relations.effect(relation.tool)
        # What stands in for a read, and is not known to do more, reads.
        unknown = does.source == "unknown" and not writes
        if name in visible and name not in suspects and name != tool and (unknown or not does.writes):
            yield relation


@lru_cache(maxsize=4096)
def _again(tool: str, changed: str = "") -> Relation:
    if changed:
        return Relation(
            tool, 1.0, AGAIN, f"the same call again, or with another `{changed}`", {changed: changed}
        )
    return Relation(tool, 1.0, AGAIN, "the same call again")


def arguments_at_fault(clause: Clause, arguments: Arguments) -> list[str]:
    """Return the arguments that a clause speaks of: by their name, or as a feature of the call (`@limit`)."""
    named = {_argument(text) for text in clause.params.values() if isinstance(text, str)}
    return [name for name in arguments if name in named]


def _argument(text: str) -> str:
    """Return the argument that a parameter of a clause names: itself, or the first step of a feature of the call."""
    try:
        feature = Feature.parse(text)
    except ValueError:
        return text
    if not feature.sort.of_call:
        return text
    return next((step for step in feature.steps if isinstance(step, str)), feature.path)
