"""The fields of a record that clauses name, read without all the others; and the shape of a record, by the names of its fields.

Both say what `records.extraction` finds, and only that.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from outcome_monitors.records.aggregates import known_by
from outcome_monitors.records.extraction import DEEPEST
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import LONGEST, kept
from outcome_monitors.records.walk import keys_are_data
from outcome_monitors.values.paths import ROOT, below
from outcome_monitors.values.types import Hidden

__all__ = ["NamedFields", "shape_of"]

_Said = dict[Feature, Any]
_SCALARS = frozenset({bool, float, int, str, type(None)})
_AS_THEY_ARE = frozenset({bool, int, type(None)})


class NamedFields:
    """What is named of a value: itself, how many there are in it, all of it, and the fields below."""

    __slots__ = ("below", "field", "number", "whole")

    def __init__(self) -> None:
        self.field: Feature | None = None
        self.number: Feature | None = None
        self.whole: Feature | None = None
        self.below: dict[str, NamedFields] = {}

    def add(self, name: Feature) -> None:
        """Name a feature; what is of rows, or made of them, is not remembered."""
        at = self
        for step in name.steps:
            if not isinstance(step, str):
                return
            at = at.below.setdefault(step, NamedFields())
        if name.sort is Sort.FIELD:
            at.field = name
        elif name.sort is Sort.NUMBER:
            at.number = name
        elif name.sort is Sort.WHOLE:
            at.whole = name

    def alone(self) -> tuple[str, ...] | None:
        """Return the fields that are named, where nothing is that stands in them or is made of them."""
        plain = all(at.number is None is at.whole and not at.below for at in self.below.values())
        return tuple(map(str, self.below)) if plain and self.number is None is self.whole else None

    def of_row(self, row: Mapping[str, Any], said: _Said, depth: int = DEEPEST) -> None:
        """Read an object, whatever its keys are."""
        named = self.below
        for key in named if len(named) < len(row) else row:
            if key in named and key in row:
                at, value = named[key], row[key]
                python = type(value)
                # Written out: most fields are short texts and whole numbers.
                if python in _AS_THEY_ARE or (python is str and len(value) <= LONGEST):
                    if at.field is not None:
                        said[at.field] = value
                else:
                    at.of_answer(value, said, depth - 1)

    def of_answer(self, value: Any, said: _Said, depth: int = DEEPEST) -> None:
        """Read a value of any sort."""
        python = type(value)
        if python is dict and not keys_are_data(value):
            if depth:
                self.of_row(value, said, depth)
        elif python is dict or python is list:
            self._of_many(value, said)
        elif self.field is not None and not isinstance(value, Hidden):
            said[self.field] = kept(value)

    def _of_many(self, values: Any, said: _Said) -> None:
        if self.number is not None:
            said[self.number] = len(values)
        if self.whole is not None:
            whole = known_by(values)
            if not isinstance(whole, Hidden):
                said[self.whole] = whole


def shape_of(record: Any) -> str:
    """Return what a bare `id` of a record is the id of: the names of all its fields, in order."""
    if type(record) is not dict:
        return ""
    if _SCALARS.issuperset(map(type, record.values())):
        return _flat_shape(tuple(record))
    return " ".join(sorted(_names(record, ROOT, DEEPEST)))


@lru_cache(maxsize=4096)
def _flat_shape(fields: tuple[Any, ...]) -> str:
    return " ".join(sorted(Sort.FIELD.of(below(ROOT, key)) for key in fields if type(key) is str))


def _names(record: Mapping[str, Any], prefix: str, depth: int) -> Iterator[str]:
    for key, value in record.items():
        if type(key) is not str or isinstance(value, Hidden):
            continue
        path = below(prefix, key)
        if type(value) is list or (type(value) is dict and keys_are_data(value)):
            yield from (Sort.NUMBER.of(path), Sort.WHOLE.of(path))
        elif type(value) is not dict:
            yield Sort.FIELD.of(path)
        elif depth > 1:
            yield from _names(value, path, depth - 1)
