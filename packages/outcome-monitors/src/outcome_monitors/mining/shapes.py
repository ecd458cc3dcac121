"""Evidence and contracts that tools share: objects of one shape are the same sort of thing, wherever they stand.

An order is an order in `get_order`, in every row of `list_orders` and in the answer of `cancel_order`. What one of them shows of
a field counts for all (`families`), so that a tool that is called rarely has the clauses of one that is called often. What objects have
in common in tools that were left out becomes the contract of a shape (`pool_shapes`), for tools that were never seen: tools are dealt
into groups and tasks into parts, and for each group and part, clauses are proposed by the other groups on the other parts and validated
on what both left out.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from outcome_monitors.contracts.identity import validation_key
from outcome_monitors.contracts.privacy import without_private
from outcome_monitors.contracts.registry import in_order
from outcome_monitors.contracts.shapes import Shape
from outcome_monitors.features.feature import Features, is_record
from outcome_monitors.jsonvalue.paths import ROOT, below, each_item, parent, parse, render
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.kind import Candidate
from outcome_monitors.rules.evidence.evidence import OBJECTS, Evidence, Place, together
from outcome_monitors.rules.evidence.samples import Sample

from .config import CONFIG

_Where = tuple[str, str]


class Member(NamedTuple):
    """Where an object of the shape stands, and which fields it has there."""

    tool: str
    path: str
    fields: frozenset[str]

    def place(self, path: str) -> str | None:
        """Return a path of the shape as it is here; None where it is not here."""
        steps = parse(path)
        if not steps:
            return self.path if is_record(self.path) else None
        return render([*parse(self.path), *steps]) if steps[0] in self.fields else None


@dataclass(frozen=True, slots=True)
class Family:
    """Objects of one shape, and all that they show, as if they were one tool's results."""

    members: tuple[Member, ...]
    evidence: Evidence


def families(evidence: Mapping[str, Evidence], tools: Collection[str] | None = None) -> list[Family]:
    """Return the shapes that stand in more than one place, with the evidence of all their places.

    With `tools`, only those that stand in one of them.
    """
    return [
        Family(tuple(members), _shown(evidence, members))
        for members in alike(evidence)
        if tools is None or any(member.tool in tools for member in members)
    ]


def _shown(evidence: Mapping[str, Evidence], members: list[Member]) -> Evidence:
    together = Evidence()
    records: Sample[Features] = Sample(OBJECTS)
    for tool, path, fields in members:
        found = evidence[tool]
        together.calls += found.places[path].calls
        together.places.setdefault(ROOT, Place()).merge(found.places[path])
        for name in sorted(fields):
            together.places.setdefault(below(ROOT, name), Place()).merge(found.places[below(path, name)])
        if is_record(path) and path in found.records:
            records.merge(_own(found.records[path]))
    if len(records):
        together.records[ROOT] = records
    return together


def _own(records: Sample[Features]) -> Sample[Features]:
    """Return records without the arguments of the call that brought them."""
    own: Sample[Features] = Sample(OBJECTS)
    for features, witness in records.items():
        kept = [index for index, name in enumerate(features.names) if name.sort.of_answer]
        own.put(
            Features(
                tuple(features.names[index] for index in kept),
                "".join(features.codes[index] for index in kept),
                tuple(features.values[index] for index in kept),
            ),
            witness,
        )
    return own


def alike(evidence: Mapping[str, Evidence]) -> list[list[Member]]:
    """Group the object paths of all tools by their fields; alone ones are left out."""
    shapes: dict[frozenset[str], list[_Where]] = {}
    for tool in sorted(evidence):
        fields: dict[str, set[str]] = {}
        for path in evidence[tool].places:
            last = parse(path)[-1] if path else None
            if isinstance(last, str):
                fields.setdefault(parent(path), set()).add(last)
        for path in sorted(fields):
            if CONFIG.min_shape_fields <= len(fields[path]) <= CONFIG.max_shape_fields:
                shapes.setdefault(frozenset(fields[path]), []).append((tool, path))
    found: list[tuple[frozenset[str], list[Member]]] = []
    for shape in sorted(shapes, key=lambda fields: (-len(fields), sorted(fields))):
        nearest = max(found, key=lambda one: _similarity(shape, one[0]), default=None)
        if nearest is None or _similarity(shape, nearest[0]) < CONFIG.shape_similarity:
            nearest = (shape, [])
            found.append(nearest)
        nearest[1].extend(Member(tool, path, shape) for tool, path in shapes[shape])
    return [members for _, members in found if len(members) > 1]


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


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
