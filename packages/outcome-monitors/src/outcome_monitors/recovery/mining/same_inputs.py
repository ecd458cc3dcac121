"""Tools that take the same values: every argument that one must have, the other takes from the same kinds of things.

A write is seldom done twice, so its results say little. What it is called with does: two tools that do the same kind of thing to
the same kinds of things, and need nothing more, can stand in for each other. Two reads must say the same as well: several
fields of their results take the same values, though they were never asked about the same thing.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from outcome_monitors.recovery.relations import Relation
from outcome_monitors.recovery.tools import Parameter, Tool

from .domains import Domains
from .frames import Frame, read_frames
from .likeness import another_thing, opposed
from .parameters import names_of
from .steps import CallStep, telling

__all__ = ["readers", "writers"]

MOST_VALUES = 300
COMMON = 3
"""Values that two fields must have in common."""
SHARE = 0.3
"""And what share of the values of the one that has fewer."""
FIELDS = 2
"""Fields of the results of two reads that must take the same values."""


def writers(tools: Sequence[Tool], domains: Domains) -> dict[str, list[Relation]]:
    """Return, for each tool that writes, those that write the same."""
    frames = [frame for frame in read_frames(tools) if frame.action not in (None, "read", "run")]
    found: dict[str, list[Relation]] = {}
    for one in frames:
        related = sorted(
            _related(one, frames, domains), key=lambda relation: (-relation.confidence, relation.tool)
        )
        if related:
            found[one.tool.name] = related
    return found


def readers(
    tools: Sequence[Tool], domains: Domains, steps: Iterable[CallStep], reads: frozenset[str]
) -> dict[str, list[Relation]]:
    """Return, for each tool that reads, those that take the same values and say the same."""
    said = _said(steps)
    frames = [p for p in read_frames(tools) if p.tool.name in reads and p.tool.name in said]
    found: dict[str, list[Relation]] = {}
    for one in frames:
        for relation in sorted(_related(one, frames, domains), key=lambda relation: relation.tool):
            fields = _shared(said[one.tool.name], said[relation.tool])
            if len(fields) >= FIELDS:
                sure = round(0.55 + 0.05 * min(len(fields), 4), 2)
                why = f"it takes the same values, and gives the same for {', '.join(fields[:3])}"
                found.setdefault(one.tool.name, []).append(replace(relation, confidence=sure, why=why))
    return found


def _said(steps: Iterable[CallStep]) -> dict[str, dict[str, set[str]]]:
    found: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for step in steps:
        if len(step.tools) == 1:
            for path, values in step.said.items():
                known = found[step.tools[0]][path]
                if len(known) < MOST_VALUES:
                    known.update(filter(telling, values))
    return {tool: dict(fields) for tool, fields in found.items()}


def _shared(one: Mapping[str, set[str]], other: Mapping[str, set[str]]) -> list[str]:
    """Return the fields of one that take the values of some field of the other, each of those once."""
    found, used = [], set()
    for path, values in sorted(one.items()):
        for place, theirs in sorted(other.items()):
            common = len(values & theirs)
            if place not in used and common >= COMMON and common >= SHARE * min(len(values), len(theirs)):
                found.append(path.rpartition(".")[2].removesuffix("[]"))
                used.add(place)
                break
    return found


def _related(one: Frame, frames: Sequence[Frame], domains: Domains) -> Iterator[Relation]:
    for other in frames:
        if other is one or opposed(one, other) or len(one.tool.required) != len(other.tool.required):
            continue
        if one.action != "read" and another_thing(one, other):
            continue
        paired = _paired(one.tool, other.tool, domains)
        if paired is not None:
            mapping, specific = paired
            why = f"it takes the same values: {', '.join(sorted(specific))}"
            yield Relation(
                other.tool.name, round(0.7 + 0.2 * len(specific) / len(mapping), 2), "behaviour", why, mapping
            )


def _paired(one: Tool, other: Tool, domains: Domains) -> tuple[dict[str, str], set[str]] | None:
    """Pair all required arguments, those of one kind of thing first; None where some have no partner."""
    mapping: dict[str, str] = {}
    specific: set[str] = set()
    for sure in (True, False):
        for mine in one.required:
            free = [p for p in other.required if p.name not in mapping.values() and mine.name not in mapping]
            target = next((p for p in free if _same(one, mine, other, p, domains, sure=sure)), None)
            if target is not None:
                mapping[mine.name] = target.name
                specific |= {mine.name} if sure else set()
    whole = len(mapping) == len(one.required) == len(names_of(mapping.values()))
    return (mapping, specific) if whole and specific else None


def _same(
    one: Tool, mine: Parameter, other: Tool, theirs: Parameter, domains: Domains, *, sure: bool
) -> bool:
    first, second = domains.argument(one.name, mine.name), domains.argument(other.name, theirs.name)
    if sure:
        return mine.type == theirs.type and first.same(second)
    numbers = {"number", "integer"}
    if mine.type != theirs.type and not {mine.type, theirs.type} <= numbers:
        return False
    # Neither is of one kind: a day goes with a day, a text with a text.
    return (
        not first.specific
        and not second.specific
        and (first.forms == second.forms or bool(first.forms & second.forms) or mine.type != "string")
    )
