"""All features of the records of a call (`feature`): what mining and session memory keep of them.

`features_of` gives mining every record at every path, with the features of the arguments; `records_of` gives session memory the
answer and its rows alone.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from outcome_monitors.jsonvalue.paths import ROOT, below, each_item, each_value, in_text
from outcome_monitors.jsonvalue.text import BEGINS, json_in

from .aggregates import known_by, members
from .feature import ABSENT, Feature, Features, Sort, freeze, is_answer, is_record
from .limits import ARGUMENT_ITEMS, COUNTED_TEXT, LIST_ENDS, LIST_ROWS, RECORD_DEPTH
from .reader import OF_ARGUMENT, OF_COLUMN, OF_END, end_row, inside
from .walk import WalkedCall, keys_are_data

_QUESTION = Sort.ARGUMENTS.of()
_KEY = Sort.KEY.of()
# Looked up once: to find a member of an enumeration costs more than to find the name.
_field, _length, _number, _whole = (sort.of for sort in (Sort.FIELD, Sort.LENGTH, Sort.NUMBER, Sort.WHOLE))


_Found = dict[Feature, Any]
"""Features as they are found."""


def _add_made(features: _Found, sort: Sort, path: str, value: Any) -> None:
    """Add what was made of a value, where it could be made."""
    if value is not ABSENT:
        features[sort.of(path)] = value


def _arguments_of(arguments: Mapping[str, Any]) -> _Found:
    """Return what was asked."""
    features: _Found = {}
    for name, value in arguments.items():
        asked = _argument(name) if type(name) is str else None
        if asked is None:
            continue
        if type(value) is list:
            _argument_list(asked, value, arguments, features)
        elif type(value) is dict:
            for key in value:
                if type(key) is str:
                    _argument_inside(below(below(ROOT, name), key), arguments, features)
        else:
            features[asked] = value
            if type(value) is str:
                _add_made(features, Sort.ARGUMENT_WORTH, name, OF_ARGUMENT[Sort.ARGUMENT_WORTH](value))
    features[_QUESTION] = known_by(arguments)
    return features


@lru_cache(maxsize=4096)
def _argument(name: str) -> Feature | None:
    try:
        return Sort.ARGUMENT.of(name)
    except ValueError:  # such a name would read as another feature
        return None


def _argument_list(asked: Feature, value: list[Any], arguments: Mapping[str, Any], features: _Found) -> None:
    name = asked.path
    _add_made(features, Sort.ARGUMENT_NUMBER, name, OF_ARGUMENT[Sort.ARGUMENT_NUMBER](value))
    features[Sort.ARGUMENT_WHOLE.of(name)] = known_by(value)
    if not 0 < len(value) <= ARGUMENT_ITEMS:
        return
    if all(type(item) in (str, int) for item in value):
        features[asked] = tuple(value)
    _add_made(features, Sort.ARGUMENT_SUM, name, OF_ARGUMENT[Sort.ARGUMENT_SUM](value))
    if type(value[0]) is dict:
        for key in value[0]:
            if type(key) is str:
                _argument_inside(below(each_item(below(ROOT, name)), key), arguments, features)


def _argument_inside(path: str, arguments: Mapping[str, Any], features: _Found) -> None:
    _add_made(features, Sort.ARGUMENT_INSIDE, path, inside(arguments, path))


def _root_in(result: Any, features: _Found, *, data: bool) -> _Found:
    """Add the features of an answer as a whole."""
    if type(result) is list:
        return _list_in(result, ROOT, features)
    if type(result) is dict and not data:
        return _fields_in(result, ROOT, RECORD_DEPTH, features)
    if type(result) is dict:
        _keys(result, ROOT, features)
    else:
        features[_field(ROOT)] = result
    return features


def _keyed_in(key: str, row: Any, features: _Found) -> _Found:
    """Add those of what stands under a key that is data."""
    features[_KEY] = key
    if type(row) is dict:
        return _fields_in(row, ROOT, RECORD_DEPTH, features)
    features[_field(ROOT)] = row
    return features


def _fields_in(value: Mapping[str, Any], prefix: str, depth: int, features: _Found) -> _Found:
    """Add those of an object."""
    for key, inner in value.items():
        if type(key) is str:
            _value(inner, below(prefix, key), depth, features)
    return features


def _value(value: Any, path: str, depth: int, features: _Found) -> None:
    if type(value) is list:
        _list_in(value, path, features)
    elif type(value) is not dict:
        features[_field(path)] = value
        if type(value) is str and len(value) >= COUNTED_TEXT:
            features[_length(path)] = len(value)
    elif keys_are_data(value):
        _keys(value, path, features)
        for place, column in _columns(list(value.values()), each_value(path)):
            _add_made(features, Sort.SUM, place, OF_COLUMN[Sort.SUM](column))
    elif depth > 1:
        _fields_in(value, path, depth - 1, features)


def _keys(value: Mapping[str, Any], path: str, features: _Found) -> None:
    """Add what is known of an object whose keys are data."""
    features[_number(path)] = len(value)
    features[_whole(path)] = known_by(value)
    _members(value, path, features)


def _list_in(items: list[Any], path: str, features: _Found) -> _Found:
    """Add those of a list."""
    rows = each_item(path)
    features[_number(path)] = len(items)
    features[_whole(path)] = known_by(items)
    _members(items, path, features)
    for place, column in _columns(items, rows):
        for sort, made in OF_COLUMN.items():
            _add_made(features, sort, place, made(column))
    if 1 < len(items) <= LIST_ROWS and type(items[0]) is dict:
        _add_made(features, Sort.ORDER, rows, OF_COLUMN[Sort.ORDER](items))
    _ends(items, rows, features)
    return features


def _members(value: Any, path: str, features: _Found) -> None:
    found = members(value)
    if found is not None:
        features[Sort.MEMBERS.of(path)] = found


def _ends(items: list[Any], path: str, features: _Found) -> None:
    """Add the texts of the first row and the last."""
    for sort, index in OF_END.items():
        row = end_row(items, index)
        for key, text in islice(row.items(), LIST_ENDS) if type(row) is dict else ():
            if type(text) is str and type(key) is str:
                features[sort.of(below(path, key))] = text


def _columns(items: list[Any], path: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield each column of the rows, with its path, whose first value is a number or a text."""
    if not 0 < len(items) <= LIST_ROWS:
        return
    if type(items[0]) in _COMPARABLE:
        yield path, items
    elif type(items[0]) is dict:
        for key, first in items[0].items():
            if type(first) in _COMPARABLE and type(key) is str:
                yield below(path, key), [row.get(key) if type(row) is dict else None for row in items]


_COMPARABLE = frozenset({int, float, str})


_At = Iterator[tuple[str, Any]]
"""Values with their paths."""


def features_of(seen: WalkedCall) -> Iterator[tuple[str, list[Features]]]:
    """Yield the features of every record of a call, by path."""
    asked = _arguments_of(seen.arguments)
    for path, values in seen.values.items():
        if is_answer(path):
            data = each_value(path) in seen.keys
            yield path, [freeze(_root_in(answer, {**asked}, data=data)) for answer in values]
        elif is_record(path) and path in seen.objects and path not in seen.keys:
            rows = seen.objects[path]
            yield path, [freeze(_fields_in(row, ROOT, RECORD_DEPTH, {**asked})) for row in rows]
        # Rows that are lists themselves: routes of legs, tables of cells.
        if path.endswith("[]") and type(values[0]) is list:
            lists = [row for row in values if type(row) is list]
            yield path, [freeze(_list_in(row, ROOT, {**asked})) for row in lists]
    for path, keys in seen.keys.items():
        # Of a giant result, the keys may have been looked at and their values not, or not all.
        pairs = zip(keys, seen.values.get(path, ()), strict=False)
        keyed = [(key, row) for key, row in pairs if type(row) is not list]
        yield path, [freeze(_keyed_in(key, row, {**asked})) for key, row in keyed]


def records_of(arguments: Mapping[str, Any], result: Any, most: int) -> list[tuple[str, Features]]:
    """Return the answer as a record and the rows of its lists one level down, at most so many of each.

    What stands in its texts as JSON is an answer, too.
    """
    asked = known_by(arguments)
    found: list[tuple[str, Features]] = []
    for path, answer in ((ROOT, result), *_in_texts(result, most)):
        # Each is known by the arguments for itself.
        found.append((path, _answer_of(answer, asked + path if isinstance(asked, str) else asked)))
        found.extend([(place, _row(key, row)) for place, key, row in _rows_of(path, answer, most)])
    return found


def _answer_of(answer: Any, asked: Any) -> Features:
    data = type(answer) is dict and keys_are_data(answer)
    return freeze(_root_in(answer, {_QUESTION: asked}, data=data))


def _rows_of(path: str, answer: Any, most: int) -> Iterator[tuple[str, str | None, dict[str, Any]]]:
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


def _row(key: str | None, row: dict[str, Any]) -> Features:
    if key is not None:
        return freeze(_keyed_in(key, row, {}))
    return freeze(_fields_in(row, ROOT, RECORD_DEPTH, {}))


def _in_texts(result: Any, most: int) -> _At:
    """Yield the JSON in the result, in its fields and in the rows of its lists."""
    yield from _texts_in(ROOT, result, most)
    if type(result) is dict:
        for key, value in result.items():
            # Most fields are features by their type or first character, and need no path.
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
