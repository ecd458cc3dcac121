"""All features of the records of a call (`features`): what mining and memory keep of them."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from outcome_monitors.jsonvalue.paths import ROOT, below, each_item, each_value, in_text
from outcome_monitors.jsonvalue.text import BEGINS, json_in
from outcome_monitors.jsonvalue.types import Hidden

from .aggregates import known_by, members
from .feature import ABSENT, MOST, Feature, Features, Pick, Sort, freeze, is_answer, is_record, picker
from .reader import LEAST_EXTENT, MOST_LISTED, OF_ARGUMENT, OF_COLUMN, OF_END, end_row, inside
from .walk import Seen, keys_are_data

__all__ = [
    "DEEPEST",
    "NOTHING_KNOWN",
    "QUESTION",
    "FeatureList",
    "Known",
    "answer_of",
    "answers_in",
    "asked_in",
    "features_of",
    "fields_in",
    "keyed_in",
    "list_in",
    "records_of",
    "root_in",
    "rows_of",
]


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


_At = Iterator[tuple[str, Any]]
"""Values with their paths."""
Known = Mapping[int, Features]
NOTHING_KNOWN: Known = {}


def features_of(seen: Seen) -> Iterator[tuple[str, list[Features]]]:
    """Yield the features of every record of a call, by path."""
    asked = asked_in(seen.arguments)
    answers, lists, records = _places(tuple(seen.values))
    for path in answers:
        data = each_value(path) in seen.keys
        yield path, [_answer(answer, seen, asked, data=data) for answer in seen.values[path]]
    for path in lists:
        # Rows that are lists themselves: routes of legs, tables of cells.
        if type(seen.values[path][0]) is list:
            rows = [row for row in seen.values[path] if type(row) is list]
            yield path, [list_in(row, ROOT, FeatureList(asked)).frozen() for row in rows]
    for path, keys in seen.keys.items():
        # Of a giant result, the keys may have been looked at and their values not, or not all.
        pairs = zip(keys, seen.values.get(path, ()), strict=False)
        yield (
            path,
            [keyed_in(key, row, FeatureList(asked)).frozen() for key, row in pairs if type(row) is not list],
        )
    for path in records:
        if path in seen.objects and path not in seen.keys:
            yield path, [_object(row, seen, asked) for row in seen.objects[path]]


@lru_cache(maxsize=4096)
def _places(paths: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    """Return which of these paths are those of answers, of the items of lists, and of other records; many results have the same."""
    return (
        [path for path in paths if is_answer(path)],
        [path for path in paths if path.endswith("[]")],
        [path for path in paths if is_record(path) and not is_answer(path)],
    )


def _answer(answer: Any, seen: Seen, asked: FeatureList, *, data: bool) -> Features:
    if type(answer) is dict and not data:
        return _object(answer, seen, asked)
    return root_in(answer, FeatureList(asked), data=data).frozen()


def _object(row: dict[str, Any], seen: Seen, asked: FeatureList) -> Features:
    """Return the features of an object, and keep them for `records_of`."""
    found = seen.found[id(row)] = fields_in(row, ROOT, DEEPEST, FeatureList(asked)).frozen()
    return found


def records_of(
    arguments: Mapping[str, Any], result: Any, most: int, known: Known = NOTHING_KNOWN
) -> list[tuple[str, Features]]:
    """Return the answer as a record and the rows of its lists one level down, at most so many of each.

    What stands in its texts as JSON is an answer, too. What `features_of` found of its objects need not be found again.
    """
    found: list[tuple[str, Features]] = []
    asked: str | Hidden | None = None
    for path, answer in answers_in(result, most):
        features = _known_answer(path, answer, known)
        if features is None:
            # Each is known by the arguments for itself.
            asked = known_by(arguments) if asked is None else asked
            features = _answer_of(answer, asked + path if isinstance(asked, str) else asked)
        found.append((path, features))
        found.extend([(place, _row(key, row, known)) for place, key, row in rows_of(path, answer, most)])
    return found


def answer_of(arguments: Mapping[str, Any], result: Any) -> Features:
    """Return the answer as a record, the first of `records_of`."""
    return _answer_of(result, known_by(arguments))


def _answer_of(answer: Any, asked: Any) -> Features:
    told = FeatureList()
    told.add(QUESTION, asked)
    return root_in(answer, told, data=type(answer) is dict and keys_are_data(answer)).frozen()


def _known_answer(path: str, answer: Any, known: Known) -> Features | None:
    """Return the result as a record, where it was found among what was asked."""
    own = known.get(id(answer)) if path == ROOT else None
    return None if own is None or keys_are_data(answer) else _apart(own, QUESTION)


def _apart(features: Features, kept: Feature | None = None) -> Features | None:
    """Return the features of a record without those of the call, but for one; None where there may have been no room for all."""
    if len(features.names) >= MOST:
        return None
    names, codes, pick = _of_record(features.names, features.codes, kept)
    return Features(names, codes, pick(features.values))


@lru_cache(maxsize=8192)
def _of_record(
    names: tuple[Feature, ...], codes: str, kept: Feature | None
) -> tuple[tuple[Feature, ...], str, Pick]:
    own = [index for index, name in enumerate(names) if not name.sort.of_call or name == kept]
    return tuple(names[index] for index in own), "".join(codes[index] for index in own), picker(own)


def answers_in(result: Any, most: int) -> list[tuple[str, Any]]:
    """Return the result and what stands in its texts as JSON, at most so many of a list, with their paths."""
    return [(ROOT, result), *_in_texts(result, most)]


def rows_of(path: str, answer: Any, most: int) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
    """Yield the rows of an answer's lists one level down, at most so many of each: path, key where keys are data, and row."""
    if type(answer) is list:
        yield from _rows(path, answer, most)
    elif type(answer) is dict:
        for key, value in answer.items():
            # Most fields are plain, and need no path.
            if type(value) in _MANY and type(key) is str:
                yield from _rows(below(path, key), value, most)


_MANY = frozenset({dict, list})


def _rows(path: str, value: Any, most: int) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
    if type(value) is list:
        place = each_item(path)
        yield from ((place, None, row) for row in value[:most] if type(row) is dict)
    elif keys_are_data(value):
        place = each_value(path)
        yield from ((place, key, row) for key, row in islice(value.items(), most) if type(row) is dict)


def _row(key: str | None, row: dict[str, Any], known: Known) -> Features:
    if key is not None:
        return keyed_in(key, row, FeatureList()).frozen()
    own = known.get(id(row))
    return (own and _apart(own)) or fields_in(row, ROOT, DEEPEST, FeatureList()).frozen()


def _in_texts(result: Any, most: int) -> _At:
    """Yield the JSON in the result, in its fields and in the rows of its lists."""
    yield from _texts_in(ROOT, result, most)
    if type(result) is dict:
        for key, value in result.items():
            # Most fields are told by their type or first character, and need no path.
            if (type(value) is list or (type(value) is str and value[:1] in BEGINS)) and type(key) is str:
                yield from _texts_in(below(ROOT, key), value, most)


def _texts_in(path: str, value: Any, most: int) -> _At:
    for place, text in _texts_of(path, value[:most]) if type(value) is list else ((path, value),):
        found = json_in(text)
        if found is not None:
            yield in_text(place), found


def _texts_of(path: str, rows: list[Any]) -> _At:
    """Yield the rows of a list that may be JSON, and the fields of rows that may be."""
    for row in rows:
        if type(row) is str:
            yield each_item(path), row
        elif type(row) is dict:
            for key, text in row.items():
                if type(text) is str and text[:1] in BEGINS and type(key) is str:
                    yield below(each_item(path), key), text
