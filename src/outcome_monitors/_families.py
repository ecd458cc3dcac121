"""Evidence that tools share: objects of one shape are the same sort of thing, wherever they stand.

An order is an order in `get_order`, in every row of `list_orders` and in the answer of `cancel_order`. What one of them shows of
a field counts for all, so that a tool that is called rarely has the clauses of one that is called often.
"""

from collections import Counter
from collections.abc import Mapping

from ._evidence import OBJECTS, Evidence, Place, Sample
from ._features import Features, is_record
from ._paths import below, parent, parse

__all__ = ["pooled"]

ALIKE = 0.7
"""Two objects are of one shape when this share of all their fields is common to both."""
LEAST_FIELDS = 3
MOST_FIELDS = 80

_Where = tuple[str, str]


def pooled(evidence: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """Return for each tool what all objects of the same shapes show, at its own paths."""
    families = _families(evidence)
    together: dict[str, Evidence] = {tool: Evidence(calls=found.calls) for tool, found in evidence.items()}
    for members in families:
        places: dict[str, Place] = {}
        records: Sample[Features] = Sample(OBJECTS)
        for tool, path, fields in members:
            for field in fields:
                place = places.get(field)
                if place is None:
                    place = places[field] = Place()
                place.merge(evidence[tool].places[below(path, field)])
            if is_record(path) and path in evidence[tool].records:
                records.merge(_own(evidence[tool].records[path]))
        for tool, path, fields in members:
            for field in fields:
                together[tool].places[below(path, field)] = places[field]
            if is_record(path):
                together[tool].places.setdefault(path, evidence[tool].places[path])
                together[tool].records[path] = records
    return together


def _own(records: Sample[Features]) -> Sample[Features]:
    """Return records without the arguments of the call that brought them."""
    own: Sample[Features] = Sample(OBJECTS)
    for features, witness in records.items():
        kept = [index for index, name in enumerate(features.names) if name[0] not in "@$"]
        own.put(
            Features(
                tuple(features.names[index] for index in kept),
                "".join(features.codes[index] for index in kept),
                tuple(features.values[index] for index in kept),
            ),
            witness,
        )
    return own


def _families(evidence: Mapping[str, Evidence]) -> list[list[tuple[str, str, tuple[str, ...]]]]:
    """Group the object paths of all tools by their fields; alone ones are left out."""
    shapes: dict[frozenset[str], list[_Where]] = {}
    for tool in sorted(evidence):
        fields: dict[str, set[str]] = {}
        for path in evidence[tool].places:
            last = parse(path)[-1] if path else None
            if isinstance(last, str):
                fields.setdefault(parent(path), set()).add(last)
        for path in sorted(fields):
            if LEAST_FIELDS <= len(fields[path]) <= MOST_FIELDS:
                shapes.setdefault(frozenset(fields[path]), []).append((tool, path))
    leaders: list[frozenset[str]] = []
    with_field: dict[str, list[int]] = {}
    families: list[list[tuple[str, str, tuple[str, ...]]]] = []
    for shape in sorted(shapes, key=lambda fields: (-len(fields), sorted(fields))):
        family = _family(shape, leaders, with_field)
        if family is None:
            family = len(leaders)
            leaders.append(shape)
            families.append([])
            for field in shape:
                with_field.setdefault(field, []).append(family)
        families[family].extend((tool, path, tuple(sorted(shape))) for tool, path in shapes[shape])
    return [members for members in families if len(members) > 1]


def _family(
    shape: frozenset[str], leaders: list[frozenset[str]], with_field: Mapping[str, list[int]]
) -> int | None:
    common: Counter[int] = Counter(family for field in shape for family in with_field.get(field, ()))
    best: tuple[float, int] | None = None
    for family, shared in sorted(common.items()):
        alike = shared / (len(shape) + len(leaders[family]) - shared)
        if alike >= ALIKE and (best is None or alike > best[0]):
            best = (alike, family)
    return best[1] if best else None
