"""All features of the records of a call (`features`): what mining and memory keep of them."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from outcome_monitors.jsonvalue.json_in_text import BEGINS, json_in
from outcome_monitors.jsonvalue.paths import ROOT, below, each_item, each_value, in_text
from outcome_monitors.jsonvalue.types import Hidden

from .aggregates import known_by
from .collector import DEEPEST, QUESTION, FeatureList, asked_in, fields_in, keyed_in, list_in, root_in
from .feature import Feature
from .features import MOST, Features, Pick, is_answer, is_record, picker
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
