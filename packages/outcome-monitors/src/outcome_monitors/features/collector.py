"""The features of a value as they are found, on one walk: of an object, of a list, and of the arguments of a call."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from outcome_monitors.jsonvalue.paths import ROOT, below, each_item, each_value

from .aggregates import known_by
from .feature import Feature, Sort
from .features import ABSENT, Features, freeze
from .identity import members
from .reader import LEAST_EXTENT, MOST_LISTED, OF_ARGUMENT, OF_COLUMN, OF_END, end_row, inside
from .walk import keys_are_data

__all__ = ["DEEPEST", "QUESTION", "FeatureList", "asked_in", "fields_in", "keyed_in", "list_in", "root_in"]

DEEPEST = 3
"""Levels of plain inner objects."""
MOST_ROWS = 1000
"""Longer lists have a length and a hash, but no sums and no order."""
MOST_ENDS = 12
"""Columns whose first and last value are kept."""

QUESTION = Sort.ARGUMENTS.of()
_KEY = Sort.KEY.of()
# Looked up once: to find a member of an enumeration costs more than to find the name.
_field, _length, _number, _whole = (sort.of for sort in (Sort.FIELD, Sort.LENGTH, Sort.NUMBER, Sort.WHOLE))


class FeatureList:
    """Features as they are found: their names, and beside them their values."""

    __slots__ = ("names", "values")

    def __init__(self, before: "FeatureList | None" = None) -> None:
        self.names: list[Feature] = [*before.names] if before is not None else []
        self.values: list[Any] = [*before.values] if before is not None else []

    def add(self, name: Feature, value: Any) -> None:
        """Add a feature."""
        self.names.append(name)
        self.values.append(value)

    def add_made(self, sort: Sort, path: str, value: Any) -> None:
        """Add what was made of a value, where it could be made."""
        if value is not ABSENT:
            self.add(sort.of(path), value)

    def frozen(self) -> Features:
        """Return them as they are kept."""
        return freeze(self.names, self.values)


def asked_in(arguments: Mapping[str, Any]) -> FeatureList:
    """Return what was asked."""
    told = FeatureList()
    for name, value in arguments.items():
        asked = _argument(name) if type(name) is str else None
        if asked is None:
            continue
        if type(value) is list:
            _asked_list(asked, value, arguments, told)
        elif type(value) is dict:
            for key in value:
                if type(key) is str:
                    _asked_inside(below(below(ROOT, name), key), arguments, told)
        else:
            told.add(asked, value)
            if type(value) is str:
                told.add_made(Sort.ARGUMENT_WORTH, name, OF_ARGUMENT[Sort.ARGUMENT_WORTH](value))
    told.add(QUESTION, known_by(arguments))
    return told


@lru_cache(maxsize=4096)
def _argument(name: str) -> Feature | None:
    try:
        return Sort.ARGUMENT.of(name)
    except ValueError:  # such a name would read as another feature
        return None


def _asked_list(asked: Feature, value: list[Any], arguments: Mapping[str, Any], told: FeatureList) -> None:
    name = asked.path
    told.add_made(Sort.ARGUMENT_NUMBER, name, OF_ARGUMENT[Sort.ARGUMENT_NUMBER](value))
    told.add(Sort.ARGUMENT_WHOLE.of(name), known_by(value))
    if not 0 < len(value) <= MOST_LISTED:
        return
    if all(type(item) in (str, int) for item in value):
        told.add(asked, tuple(value))
    told.add_made(Sort.ARGUMENT_SUM, name, OF_ARGUMENT[Sort.ARGUMENT_SUM](value))
    if type(value[0]) is dict:
        for key in value[0]:
            if type(key) is str:
                _asked_inside(below(each_item(below(ROOT, name)), key), arguments, told)


def _asked_inside(path: str, arguments: Mapping[str, Any], told: FeatureList) -> None:
    told.add_made(Sort.ARGUMENT_INSIDE, path, inside(arguments, path))


def root_in(result: Any, told: FeatureList, *, data: bool) -> FeatureList:
    """Add the features of an answer as a whole."""
    if type(result) is list:
        return list_in(result, ROOT, told)
    if type(result) is dict and not data:
        return fields_in(result, ROOT, DEEPEST, told)
    if type(result) is dict:
        _keys(result, ROOT, told)
    else:
        told.add(_field(ROOT), result)
    return told


def keyed_in(key: str, row: Any, told: FeatureList) -> FeatureList:
    """Add those of what stands under a key that is data."""
    told.add(_KEY, key)
    if type(row) is dict:
        return fields_in(row, ROOT, DEEPEST, told)
    told.add(_field(ROOT), row)
    return told


def fields_in(value: Mapping[str, Any], prefix: str, depth: int, told: FeatureList) -> FeatureList:
    """Add those of an object."""
    fields = _fields_at(prefix, tuple(value))
    if fields is not None and _SCALARS.issuperset(map(type, value.values())):
        # Most objects have plain fields alone, and their names are known.
        told.names += fields
        told.values += value.values()
        for field, text in zip(fields, value.values(), strict=True):
            if type(text) is str and len(text) >= LEAST_EXTENT:
                told.add(_length(field.path), len(text))
        return told
    for key, inner in value.items():
        if type(key) is str:
            _value(inner, below(prefix, key), depth, told)
    return told


@lru_cache(maxsize=4096)
def _fields_at(prefix: str, keys: tuple[Any, ...]) -> tuple[Feature, ...] | None:
    """Return the names of the fields of an object that has these keys; None where not all are texts. Many have the same."""
    if not {str}.issuperset(map(type, keys)):
        return None
    return tuple(_field(below(prefix, key)) for key in keys)


def _value(value: Any, path: str, depth: int, told: FeatureList) -> None:
    if type(value) is list:
        list_in(value, path, told)
    elif type(value) is not dict:
        told.add(_field(path), value)
        if type(value) is str and len(value) >= LEAST_EXTENT:
            told.add(_length(path), len(value))
    elif keys_are_data(value):
        _keys(value, path, told)
        for place, column in _columns(list(value.values()), each_value(path)):
            told.add_made(Sort.SUM, place, OF_COLUMN[Sort.SUM](column))
    elif depth > 1:
        fields_in(value, path, depth - 1, told)


def _keys(value: Mapping[str, Any], path: str, told: FeatureList) -> None:
    """Add what is known of an object whose keys are data."""
    told.add(_number(path), len(value))
    told.add(_whole(path), known_by(value))
    _members(value, path, told)


def list_in(items: list[Any], path: str, told: FeatureList) -> FeatureList:
    """Add those of a list."""
    rows = each_item(path)
    told.add(_number(path), len(items))
    told.add(_whole(path), known_by(items))
    _members(items, path, told)
    for place, column in _columns(items, rows):
        for sort, made in OF_COLUMN.items():
            told.add_made(sort, place, made(column))
    if 1 < len(items) <= MOST_ROWS and type(items[0]) is dict:
        told.add_made(Sort.ORDER, rows, OF_COLUMN[Sort.ORDER](items))
    _ends(items, rows, told)
    return told


def _members(value: Any, path: str, told: FeatureList) -> None:
    found = members(value)
    if found is not None:
        told.add(Sort.MEMBERS.of(path), found)


def _ends(items: list[Any], path: str, told: FeatureList) -> None:
    """Add the texts of the first row and the last."""
    for sort, index in OF_END.items():
        row = end_row(items, index)
        for key, text in islice(row.items(), MOST_ENDS) if type(row) is dict else ():
            if type(text) is str and type(key) is str:
                told.add(sort.of(below(path, key)), text)


def _columns(items: list[Any], path: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield each column of the rows, with its path, whose first value is a number or a text."""
    if not 0 < len(items) <= MOST_ROWS:
        return
    if type(items[0]) in _TOLD:
        yield path, items
    elif type(items[0]) is dict:
        for key, first in items[0].items():
            if type(first) in _TOLD and type(key) is str:
                yield below(path, key), [row.get(key) if type(row) is dict else None for row in items]


_TOLD = frozenset({int, float, str})
_SCALARS = frozenset({bool, float, int, str, type(None)})
