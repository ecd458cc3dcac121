"""All features of the records of a call (`_features`): what mining and memory keep of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ._aggregates import digest, standing, total
from ._features import Features, freeze, is_record
from ._paths import ROOT, below, each_item, each_value
from ._seen import Seen, keys_are_data

__all__ = ["features_of", "records_of"]

DEEPEST = 3
"""Levels of plain inner objects."""
MOST_ROWS = 1000
"""Longer lists have a length and a hash, but no sums and no order."""
MOST_LISTED = 32
"""Items of an argument that are kept; a longer list has a length alone."""

_Found = Iterator[tuple[str, Any]]


def features_of(seen: Seen) -> Iterator[tuple[str, list[Features]]]:
    """Yield the features of every record of a call, by path."""
    asked = list(_asked(seen.arguments))
    yield ROOT, [freeze([*asked, *_root(seen.result)])]
    for path, objects in seen.objects.items():
        if path == ROOT or not is_record(path):
            continue
        if path in seen.keys:
            # Other objects at this path may have held scalars under their keys: those are no records.
            pairs = zip(seen.keys[path], seen.values[path], strict=False)
            yield path, [freeze([*asked, *_keyed(key, row)]) for key, row in pairs if type(row) is dict]
        else:
            yield path, [freeze([*asked, *_fields(row, ROOT, DEEPEST)]) for row in objects]


def records_of(arguments: Mapping[str, Any], result: Any, most: int) -> list[tuple[str, Features]]:
    """Return the root record of an answer and the rows of its lists one level down, at most so many of each."""
    found = [(ROOT, freeze([("@", digest(arguments)), *_root(result)]))]
    lists: Iterable[tuple[str, Any]] = [(ROOT, result)] if type(result) is list else []
    if type(result) is dict:
        lists = [(below(ROOT, key), value) for key, value in result.items() if type(key) is str]
    for path, value in lists:
        if type(value) is list:
            rows = [row for row in value[:most] if type(row) is dict]
            found.extend((each_item(path), freeze([*_fields(row, ROOT, DEEPEST)])) for row in rows)
        elif type(value) is dict and keys_are_data(value):
            pairs = [(key, row) for key, row in list(value.items())[:most] if type(row) is dict]
            found.extend((each_value(path), freeze([*_keyed(key, row)])) for key, row in pairs)
    return found


def _asked(arguments: Mapping[str, Any]) -> _Found:
    for name, value in arguments.items():
        # Such a name would read as another feature.
        if type(name) is not str or name[:1] in ("", "#"):
            continue
        if type(value) is list:
            yield "@#" + name, len(value)
            if len(value) <= MOST_LISTED and all(type(item) in (str, int) for item in value):
                yield "@" + name, tuple(value)
        elif type(value) is not dict:
            yield "@" + name, value
    yield "@", digest(arguments)


def _root(result: Any) -> _Found:
    if type(result) is dict:
        if keys_are_data(result):
            yield "#", len(result)
            yield "=", digest(result)
        else:
            yield from _fields(result, ROOT, DEEPEST)
    elif type(result) is list:
        yield from _list(result, ROOT)
    else:
        yield ".", result


def _keyed(key: str, row: Mapping[str, Any]) -> _Found:
    yield "$", key
    yield from _fields(row, ROOT, DEEPEST)


def _fields(value: Mapping[str, Any], prefix: str, depth: int) -> _Found:
    for key, inner in value.items():
        if type(key) is not str:
            continue
        path = below(prefix, key)
        if type(inner) is list:
            yield from _list(inner, path)
        elif type(inner) is not dict:
            yield "." + path, inner
        elif keys_are_data(inner):
            yield "#" + path, len(inner)
            yield "=" + path, digest(inner)
            yield from _sums(list(inner.values()), each_value(path))
        elif depth > 1:
            yield from _fields(inner, path, depth - 1)


def _list(items: list[Any], path: str) -> _Found:
    yield "#" + path, len(items)
    yield "=" + path, digest(items)
    yield from _sums(items, each_item(path))
    yield from _standings(items, each_item(path))


def _sums(items: list[Any], path: str) -> _Found:
    for place, column in _columns(items, path, (int, float)):
        added = total(column)
        if added is not None:
            yield "+" + place, added


def _standings(items: list[Any], path: str) -> _Found:
    for place, column in _columns(items, path, (int, float, str)) if len(items) > 1 else ():
        found = standing(column)
        if found is not None:
            yield "%" + place, found


def _columns(items: list[Any], path: str, types: tuple[type, ...]) -> Iterator[tuple[str, list[Any]]]:
    """Yield each column of the rows, with its path, whose first value is of one of the types."""
    if not 0 < len(items) <= MOST_ROWS:
        return
    if type(items[0]) in types:
        yield path, items
    elif type(items[0]) is dict:
        for key, first in items[0].items():
            if type(first) in types and type(key) is str:
                yield below(path, key), [row.get(key) if type(row) is dict else None for row in items]
