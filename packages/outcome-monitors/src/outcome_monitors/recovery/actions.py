"""What a receipt lists: the published list, and the safe one.

The published list is that of the paper's Algorithm 1: the tool itself, then its substitutes in sight, whatever calling them does.
The safe list calls nothing twice that may act twice, and looks further for something to ask.
"""

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import get_args

from outcome_monitors.features.feature import Feature
from outcome_monitors.model import Clause, Json, Listing

from .relations import Relation, Relations

__all__ = ["AGAIN", "FEWER", "LISTS", "actions", "arguments_at_fault", "published", "safe"]

LISTS: tuple[Listing, ...] = get_args(Listing)
MOST_LISTED = 5
"""Actions of a safe list, the flagged tool among them: few, and the best ones."""
AGAIN = "again"
"""The source of the action that makes the same call once more."""
FEWER = "fewer"
"""The source of the action that calls the same tool with fewer arguments."""

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
    """Return what a receipt lists, each with the reason and how it is called; see `published` and `safe`."""
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
    if tool not in suspects:
        yield _again(tool)
    needed = relations.needed.get(tool)
    if needed is not None:
        yield from _with_fewer(tool, needed, arguments, at_fault)


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
def _again(tool: str) -> Relation:
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
