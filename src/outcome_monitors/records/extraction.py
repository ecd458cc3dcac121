"""All features of the records of a call (`features`): what mining and memory keep of them."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from outcome_monitors.values.json_in_text import BEGINS, json_in
from outcome_monitors.values.paths import ROOT, below, each_item, each_value, in_text

from .aggregates import known_by
from .feature import Feature, Sort
from .features import ABSENT, Features, freeze, is_answer, is_record
from .identity import members
from .reader import LEAST_EXTENT, MOST_LISTED, OF_ARGUMENT, OF_COLUMN, OF_END, end_row, inside
from .walk import Seen, keys_are_data

__all__ = [
    "DEEPEST",
    "NOTHING_KNOWN",
    "Known",
    "answer_of",
    "answers_in",
    "features_of",
    "records_of",
    "rows_of",
]

DEEPEST = 3
"""Levels of plain inner objects."""
MOST_ROWS = 1000
"""Longer lists have a length and a hash, but no sums and no order."""
MOST_ENDS = 12
"""Columns whose first and last value are kept."""

_Found = Iterator[tuple[Feature, Any]]
_At = Iterator[tuple[str, Any]]
"""Values with their paths."""
Known = Mapping[int, list[tuple[Feature, Any]]]
NOTHING_KNOWN: Known = {}

_QUESTION = Sort.ARGUMENTS.of()
_KEY = Sort.KEY.of()
# Looked up once: to find a member of an enumeration costs more than to find the name.
_field, _length, _number, _whole = (sort.of for sort in (Sort.FIELD, Sort.LENGTH, Sort.NUMBER, Sort.WHOLE))


def features_of(seen: Seen) -> Iterator[tuple[str, list[Features]]]:
    """Yield the features of every record of a call, by path."""
    asked = list(_asked(seen.arguments))
    for path, answers in seen.values.items():
        if is_answer(path):
            data = each_value(path) in seen.keys
            yield path, [freeze([*asked, *_answer(answer, seen, data=data)]) for answer in answers]
    yield from _lists_in_lists(seen, asked)
    for path, keys in seen.keys.items():
        # Of a giant result, the keys may have been looked at and their values not, or not all.
        pairs = zip(keys, seen.values.get(path, ()), strict=False)
        yield path, [freeze([*asked, *_keyed(key, row)]) for key, row in pairs if type(row) is not list]
    for path, objects in seen.objects.items():
        if not is_answer(path) and is_record(path) and path not in seen.keys:
            yield path, [freeze([*asked, *_object(row, seen)]) for row in objects]


def _answer(answer: Any, seen: Seen, *, data: bool) -> Iterable[tuple[Feature, Any]]:
    return _object(answer, seen) if type(answer) is dict and not data else _root(answer, data=data)


def _object(row: dict[str, Any], seen: Seen) -> list[tuple[Feature, Any]]:
    """Return the features of an object, and keep them for `records_of`."""
    found = seen.found[id(row)] = _fields(row, ROOT, DEEPEST)
    return found


def _lists_in_lists(seen: Seen, asked: list[tuple[Feature, Any]]) -> Iterator[tuple[str, list[Features]]]:
    """Yield the rows that are lists themselves: routes of legs, tables of cells."""
    for path, values in seen.values.items():
        if path.endswith("[]") and type(values[0]) is list:
            rows = [row for row in values if type(row) is list]
            yield path, [freeze([*asked, *_list(row, ROOT)]) for row in rows]


def records_of(
    arguments: Mapping[str, Any], result: Any, most: int, known: Known = NOTHING_KNOWN
) -> list[tuple[str, Features]]:
    """Return the answer as a record and the rows of its lists one level down, at most so many of each.

    What stands in its texts as JSON is an answer, too. What `features_of` found of its objects need not be found again.
    """
    asked = known_by(arguments)
    found: list[tuple[str, Features]] = []
    for path, answer in answers_in(result, most):
        # Each is known by the arguments for itself.
        whose = asked + path if isinstance(asked, str) else asked
        found.append((path, _answer_of(answer, whose, known)))
        found.extend(
            (place, freeze([*_row(key, row, known)])) for place, key, row in rows_of(path, answer, most)
        )
    return found


def answer_of(arguments: Mapping[str, Any], result: Any) -> Features:
    """Return the answer as a record, the first of `records_of`."""
    return _answer_of(result, known_by(arguments), NOTHING_KNOWN)


def _answer_of(answer: Any, asked: Any, known: Known) -> Features:
    data = type(answer) is dict and keys_are_data(answer)
    own = known.get(id(answer)) if not data else None
    return freeze([(_QUESTION, asked), *(own or _root(answer, data=data))])


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


def _row(key: str | None, row: dict[str, Any], known: Known) -> Iterable[tuple[Feature, Any]]:
    if key is not None:
        return _keyed(key, row)
    return known.get(id(row)) or _fields(row, ROOT, DEEPEST)


def _inner(path: str, value: Any) -> list[tuple[str, Any]]:
    """Return the fields of an object, with their paths."""
    if type(value) is not dict:
        return []
    return [(below(path, key), inner) for key, inner in value.items() if type(key) is str]


def _in_texts(result: Any, most: int) -> _At:
    """Yield the JSON in the result, in its fields and in the rows of its lists."""
    for path, value in [(ROOT, result), *_inner(ROOT, result)]:
        texts = _texts_of(path, value[:most]) if type(value) is list else [(path, value)]
        for place, text in texts:
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


def _asked(arguments: Mapping[str, Any]) -> _Found:
    for name, value in arguments.items():
        asked = _argument(name) if type(name) is str else None
        if asked is None:
            continue
        if type(value) is list:
            yield from _asked_list(asked, value, arguments)
        elif type(value) is dict:
            for key in value:
                yield from _asked_inside(below(below(ROOT, name), key), arguments) if type(key) is str else ()
        else:
            yield asked, value
            yield from _made(Sort.ARGUMENT_WORTH, name, value)
    yield _QUESTION, known_by(arguments)


@lru_cache(maxsize=4096)
def _argument(name: str) -> Feature | None:
    try:
        return Sort.ARGUMENT.of(name)
    except ValueError:  # such a name would read as another feature
        return None


def _made(sort: Sort, name: str, value: Any) -> _Found:
    found = OF_ARGUMENT[sort](value)
    if found is not ABSENT:
        yield sort.of(name), found


def _asked_list(asked: Feature, value: list[Any], arguments: Mapping[str, Any]) -> _Found:
    name = asked.path
    yield from _made(Sort.ARGUMENT_NUMBER, name, value)
    yield Sort.ARGUMENT_WHOLE.of(name), known_by(value)
    if not 0 < len(value) <= MOST_LISTED:
        return
    if all(type(item) in (str, int) for item in value):
        yield asked, tuple(value)
    yield from _made(Sort.ARGUMENT_SUM, name, value)
    if type(value[0]) is dict:
        for key in value[0]:
            if type(key) is str:
                yield from _asked_inside(below(each_item(below(ROOT, name)), key), arguments)


def _asked_inside(path: str, arguments: Mapping[str, Any]) -> _Found:
    found = inside(arguments, path)
    if found is not ABSENT:
        yield Sort.ARGUMENT_INSIDE.of(path), found


def _root(result: Any, *, data: bool) -> _Found:
    if type(result) is dict:
        if data:
            yield _number(ROOT), len(result)
            yield _whole(ROOT), known_by(result)
            yield from _members(result, ROOT)
        else:
            yield from _fields(result, ROOT, DEEPEST)
    elif type(result) is list:
        yield from _list(result, ROOT)
    else:
        yield _field(ROOT), result


def _keyed(key: str, row: Any) -> _Found:
    yield _KEY, key
    if type(row) is dict:
        yield from _fields(row, ROOT, DEEPEST)
    else:
        yield _field(ROOT), row


def _fields(value: Mapping[str, Any], prefix: str, depth: int) -> list[tuple[Feature, Any]]:
    found: list[tuple[Feature, Any]] = []
    for key, inner in value.items():
        if type(key) is not str:
            continue
        path = below(prefix, key)
        if type(inner) is list:
            found.extend(_list(inner, path))
        elif type(inner) is not dict:
            found.append((_field(path), inner))
            # Written out, as are the lengths below: this is the innermost loop of mining.
            if type(inner) is str and len(inner) >= LEAST_EXTENT:
                found.append((_length(path), len(inner)))
        elif keys_are_data(inner):
            found += [(_number(path), len(inner)), (_whole(path), known_by(inner)), *_members(inner, path)]
            for place, column in _columns(list(inner.values()), each_value(path)):
                found.extend(_of_column(Sort.SUM, column, place))
        elif depth > 1:
            found += _fields(inner, path, depth - 1)
    return found


def _list(items: list[Any], path: str) -> _Found:
    rows = each_item(path)
    yield _number(path), len(items)
    yield _whole(path), known_by(items)
    yield from _members(items, path)
    for place, column in _columns(items, rows):
        for sort in OF_COLUMN:
            yield from _of_column(sort, column, place)
    if 1 < len(items) <= MOST_ROWS and type(items[0]) is dict:
        yield from _of_column(Sort.ORDER, items, rows)
    yield from _ends(items, rows)


def _members(value: Any, path: str) -> _Found:
    found = members(value)
    if found is not None:
        yield Sort.MEMBERS.of(path), found


def _of_column(sort: Sort, column: list[Any], path: str) -> _Found:
    found = OF_COLUMN[sort](column)
    if found is not ABSENT:
        yield sort.of(path), found


def _ends(items: list[Any], path: str) -> _Found:
    """Yield the texts of the first row and the last."""
    for sort, index in OF_END.items():
        row = end_row(items, index)
        for key, text in [*row.items()][:MOST_ENDS] if type(row) is dict else ():
            if type(text) is str and type(key) is str:
                yield sort.of(below(path, key)), text


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
