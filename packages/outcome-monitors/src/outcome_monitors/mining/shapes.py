"""Mining shapes (`checking.shapes`): what objects have in common in tools that were left out.

Tools are dealt into groups and tasks into parts. For each group and part, clauses are suggested by the other groups on the other
parts and tried on what both left out: results of tools never seen, in tasks never seen. What fires there is not taken.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from outcome_monitors.contracts.identity import validation_key
from outcome_monitors.contracts.registry import in_order
from outcome_monitors.contracts.shapes import Shape
from outcome_monitors.jsonvalue.paths import ROOT, below, each_item, parent, parse
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Candidate
from outcome_monitors.rules.evidence.evidence import Evidence, Place, together

from .config import CONFIG
from .families import Member, alike
from .privacy import without_private

__all__ = ["pool_shapes"]


_Parts = Sequence[Mapping[str, Evidence]]
_Cells = dict[tuple[int, int], Evidence]
"""The pooled evidence of each group of tools and part of the tasks; paths begin at the object."""
_Behind = dict[str, set[str]]
"""The tools behind each path."""
_Least = dict[str, int]
"""Each kind of clause that a shape can have, with the tools that must stand behind one."""


def pool_shapes(parts: _Parts) -> tuple[Shape, ...]:
    """Return the shape of anything, and those that stand in several tools, with the clauses that came through."""
    whole = together(parts)
    found = [_anything(parts, whole), *(_shape(parts, whole, members) for members in alike(whole))]
    return tuple(replace(shape, clauses=in_order(shape.clauses)) for shape in found if shape.clauses)


def _anything(parts: _Parts, whole: Mapping[str, Evidence]) -> Shape:
    places = {
        tool: {ROOT, *(path for path, place in evidence.places.items() if place.with_objects)}
        for tool, evidence in whole.items()
    }
    return Shape((), len(whole), tuple(_accepted(parts, whole, places, _of_anything(), results=True)))


def _shape(parts: _Parts, whole: Mapping[str, Evidence], members: Sequence[Member]) -> Shape:
    places: dict[str, set[str]] = {}
    for member in members:
        places.setdefault(member.tool, set()).add(member.path)
    counts = Counter(name for member in members for name in member.fields)
    fields = tuple(
        sorted(name for name, count in counts.items() if count >= CONFIG.usual_share * len(members))
    )
    return Shape(fields, len(places), tuple(_accepted(parts, whole, places, _of_a_shape())))


def _of_a_shape() -> _Least:
    return {name: kind.mining.tools.of_a_shape for name, kind in KINDS.items() if kind.mining.tools}


def _of_anything() -> _Least:
    found = {name: kind.mining.tools.of_anything for name, kind in KINDS.items() if kind.mining.tools}
    return {name: least for name, least in found.items() if least is not None}


def _accepted(
    parts: _Parts,
    whole: Mapping[str, Evidence],
    places: Mapping[str, set[str]],
    kinds: _Least,
    *,
    results: bool = False,
) -> Iterator[Clause]:
    """Yield the clauses that objects at these places support, and that held where they were tried; `results` as in `_cells`."""
    least = min(kinds.values())
    if len(places) < least:
        return
    behind = _behind(whole, places)
    wanted = {path for path, tools in behind.items() if len(tools) >= least}
    cells = _cells(parts, places, wanted, results=results)
    record = _tried(cells, kinds)
    for candidate in map(without_private, _suggested(cells.values(), kinds)):
        tried = record.get(validation_key(candidate.clause))
        enough = len(behind[candidate.clause.path]) >= kinds[candidate.clause.kind]
        if enough and tried is not None and tried.held(candidate.clause) and not candidate.refused:
            yield KINDS[candidate.clause.kind].mining.generalize(candidate.clause)


def _relative(path: str) -> tuple[str, str] | None:
    """Return the object that a value belongs to, and the path from there: a field, or the items of a list."""
    if not path:
        return None
    last, above = parse(path)[-1], parent(path)
    if isinstance(last, str):
        return above, below(ROOT, last)
    if not path.endswith("[]"):
        return None
    if not above:
        return ROOT, each_item(ROOT)
    name = parse(above)[-1]
    return (parent(above), each_item(below(ROOT, name))) if isinstance(name, str) else None


def _behind(whole: Mapping[str, Evidence], places: Mapping[str, set[str]]) -> _Behind:
    behind: _Behind = {ROOT: set(places)}
    for tool, objects in places.items():
        for path in whole[tool].places:
            found = _relative(path)
            if found is not None and found[0] in objects:
                behind.setdefault(found[1], set()).add(tool)
    return behind


def _cells(parts: _Parts, places: Mapping[str, set[str]], wanted: set[str], *, results: bool) -> _Cells:
    """Pool what stands at these places; with `results`, the path of the object itself stands for results alone."""
    cells: _Cells = {}
    for number, part in enumerate(parts):
        for tool in sorted(places):
            if tool in part:
                cell = cells.setdefault((stable_hash(tool) % CONFIG.tool_groups, number), Evidence())
                _pour(cell, part[tool], places[tool], wanted, results=results)
    return cells


def _pour(cell: Evidence, evidence: Evidence, objects: set[str], wanted: set[str], *, results: bool) -> None:
    cell.calls += evidence.calls
    for path, place in evidence.places.items():
        if path in objects and (path == ROOT or not results):
            cell.places.setdefault(ROOT, Place()).merge(place)
        found = _relative(path)
        if found is not None and found[0] in objects and found[1] in wanted:
            cell.places.setdefault(found[1], Place()).merge(place)


@dataclass(slots=True)
class _Tried:
    """How a clause did in its trials."""

    groups: set[int] = field(default_factory=set)
    checked: int = 0
    fired: int = 0

    def held(self, clause: Clause) -> bool:
        """Say whether a clause was tried enough, and came through."""
        holds = KINDS[clause.kind].mining.generalizes
        return len(self.groups) >= CONFIG.min_tool_groups and holds(clause, self.checked, self.fired)


def _tried(cells: _Cells, kinds: Iterable[str]) -> dict[tuple[Hashable, ...], _Tried]:
    record: dict[tuple[Hashable, ...], _Tried] = {}
    for (group, part), cell in sorted(cells.items()):
        others = [other for (g, p), other in sorted(cells.items()) if g != group and p != part]
        for candidate in _suggested(others, kinds):
            clause = candidate.clause
            place = cell.places.get(KINDS[clause.kind].stands_at(clause.path))
            if not candidate.refused and place is not None:
                tried = record.setdefault(validation_key(clause), _Tried())
                tried.groups.add(group)
                tried.checked += place.calls
                tried.fired += sum(KINDS[clause.kind].fires(clause, cell).values())
    return record


def _suggested(cells: Iterable[Evidence], kinds: Iterable[str]) -> Iterator[Candidate]:
    pooled = Evidence()
    for cell in cells:
        pooled.merge(cell)
    for kind in kinds:
        for candidate in KINDS[kind].suggest(pooled):
            # Objects in a list are looked at for themselves.
            if KINDS[kind].traits.about != "object" or not candidate.clause.path:
                yield candidate
