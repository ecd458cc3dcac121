"""Evidence that tools share: objects of one shape are the same sort of thing, wherever they stand.

An order is an order in `get_order`, in every row of `list_orders` and in the answer of `cancel_order`. What one of them shows of
a field counts for all, so that a tool that is called rarely has the clauses of one that is called often.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from outcome_monitors.features.feature import Features, is_record
from outcome_monitors.jsonvalue.paths import ROOT, below, parent, parse, render
from outcome_monitors.rules.evidence.evidence import OBJECTS, Evidence, Place
from outcome_monitors.rules.evidence.samples import Sample

from .config import CONFIG

__all__ = ["Family", "Member", "alike", "families"]


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
        _into(together, ROOT, found.places[path])
        for field in sorted(fields):
            _into(together, below(ROOT, field), found.places[below(path, field)])
        if is_record(path) and path in found.records:
            records.merge(_own(found.records[path]))
    if len(records):
        together.records[ROOT] = records
    return together


def _into(together: Evidence, path: str, place: Place) -> None:
    if path not in together.places:
        together.places[path] = Place()
    together.places[path].merge(place)


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
    leaders: list[frozenset[str]] = []
    with_field: dict[str, list[int]] = {}
    found: list[list[Member]] = []
    for shape in sorted(shapes, key=lambda fields: (-len(fields), sorted(fields))):
        family = _family(shape, leaders, with_field)
        if family is None:
            family = len(leaders)
            leaders.append(shape)
            found.append([])
            for field in shape:
                with_field.setdefault(field, []).append(family)
        found[family].extend(Member(tool, path, shape) for tool, path in shapes[shape])
    return [members for members in found if len(members) > 1]


def _family(
    shape: frozenset[str], leaders: list[frozenset[str]], with_field: Mapping[str, list[int]]
) -> int | None:
    common: Counter[int] = Counter(family for field in shape for family in with_field.get(field, ()))
    best: tuple[float, int] | None = None
    for family, shared in sorted(common.items()):
        alike = shared / (len(shape) + len(leaders[family]) - shared)
        if alike >= CONFIG.shape_similarity and (best is None or alike > best[0]):
            best = (alike, family)
    return best[1] if best else None
