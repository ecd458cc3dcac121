"""The records that minings of overlapping tasks have in common, so that what is found out of them is found out once.

Clauses are suggested by all parts of the tasks, and by all but one. Each of these looks at some of the records of one universe.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_

from outcome_monitors.evidence.evidence import Evidence
from outcome_monitors.evidence.samples import Witness
from outcome_monitors.evidence.table import Table, Universe, set_of
from outcome_monitors.records.features import Features

__all__ = ["Universes", "look_from", "universes_of"]

Universes = Mapping[str, Mapping[str, Universe]]
"""By tool and path."""


def universes_of(parts: Sequence[Mapping[str, Evidence]], whole: Mapping[str, Evidence]) -> Universes:
    """Return the records of all parts; its views are those without each part, in order, and last the whole."""
    return {
        tool: {
            path: _universe([_records(part, tool, path) for part in parts], records.items())
            for path, records in evidence.records.items()
            # Of more than can be kept, the whole has left some out that are in a view.
            if len(records) and records.whole
        }
        for tool, evidence in whole.items()
    }


def _records(part: Mapping[str, Evidence], tool: str, path: str) -> Iterable[Features]:
    return part[tool].records.get(path, ()) if tool in part else ()


def look_from(universes: Universes, view: int, evidence: Mapping[str, Evidence]) -> None:
    """Take the tables of some evidence for a view of the universes."""
    for tool, found in evidence.items():
        found.look_from(universes[tool], view)


def _universe(parts: Sequence[Iterable[Features]], records: Sequence[tuple[Features, Witness]]) -> Universe:
    number = {features: row for row, (features, _) in enumerate(records)}
    having = [set_of(map(number.__getitem__, part), len(number)) for part in parts]
    without = [reduce(or_, having[:part] + having[part + 1 :], 0) for part in range(len(having))]
    return Universe([*number], Table(records), (*without, reduce(or_, having)))
