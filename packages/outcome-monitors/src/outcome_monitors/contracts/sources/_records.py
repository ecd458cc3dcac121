"""The records of a table, as the objects that a tool would return; and its columns, counted in distinct records."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.features.walk import look
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import parent, parse
from outcome_monitors.jsonvalue.types import finite, kind_of
from outcome_monitors.model import Call, Json
from outcome_monitors.rules.conservation import category

Record = dict[str, Json]


def as_records(table: Json, name: str) -> list[Record]:
    """Return the records of a decoded table, a list or an object keyed by id; `name` is what errors call it."""
    if not isinstance(table, (list, dict)):
        raise SourceError(f"{name} holds {kind_of(table)}, not a list or an object of records")
    if not table:
        raise SourceError(f"{name} holds no records")
    for key, record in table.items() if isinstance(table, dict) else enumerate(table):
        if not isinstance(record, dict):
            raise SourceError(f"{name}: record {clip_text(str(key))!r} is {kind_of(record)}, not an object")
    return list(table.values() if isinstance(table, dict) else table)


MOST_KEPT = 12
"""Categories of one column that are counted; one with more is no category."""


@dataclass(slots=True)
class TableColumn:
    """All that stood at one path."""

    values: int = 0
    required: bool = False
    """Every object that could have the field had it."""
    numbers: int = 0
    positive: int = 0
    texts: int = 0
    booleans: int = 0
    nulls: int = 0
    records: int = 0
    """Distinct records with something other than null here."""
    categories: Counter[str] | None = field(default_factory=Counter)
    """Each category, with the number of distinct records it was seen in; None where there are too many."""

    def only(self, count: int) -> bool:
        """Say whether `count` of the values are all there are, but for nulls, and not none."""
        return 0 < count == self.values - self.nulls

    def add(self, values: list[Json]) -> None:
        """Count what one record has at the path."""
        self.values += len(values)
        nulls = values.count(None)
        self.nulls += nulls
        self.records += nulls < len(values)
        found = set()
        for value in values:
            if finite(value):
                self.numbers += 1
                self.positive += value > 0
            elif (kind := category(value)) is not None:
                self.texts += type(value) is str
                self.booleans += type(value) is bool
                found.add(kind)
        if found and self.categories is not None:
            self.categories.update(found)
            if len(self.categories) > MOST_KEPT:
                self.categories = None


class RecordTable(NamedTuple):
    """Distinct records, and their columns by path."""

    records: list[Record]
    columns: Mapping[str, TableColumn]


def tabulate(records: Iterable[Record], tool: str) -> RecordTable:
    """Look over a table; a record that stands in it twice counts once."""
    distinct: dict[int, Record] = {}
    columns: dict[str, TableColumn] = {}
    objects: Counter[str] = Counter()
    for record in records:
        seen = look(Call(tool, {}, record))
        if seen.task in distinct:
            continue
        distinct[seen.task] = record
        objects.update({path: len(found) for path, found in seen.objects.items()})
        for path, values in seen.values.items():
            columns.setdefault(path, TableColumn()).add(values)
    for path, column in columns.items():
        keyed = bool(path) and isinstance(parse(path)[-1], str)
        column.required = not keyed or column.values == objects[parent(path)]
    return RecordTable(list(distinct.values()), columns)


def name_of(path: str) -> str:
    """Return the name of the field that a path leads to, or whose items or values it leads to."""
    return next((step for step in reversed(parse(path)) if isinstance(step, str)), "")
