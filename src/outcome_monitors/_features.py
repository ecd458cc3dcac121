"""The named facts of an object that relations speak of.

A record is the result itself, or an item of a list, or a value of an object whose keys are data. Its features are

    .status            a scalar field; fields of plain inner objects count too (.address.city)
    #items             how many items a list has, or values an object whose keys are data
    +items[].price     the sum of a number over the items
    =items             all of a list, known by its hash
    %items[].id        how the rows stand: "u" all different, "a" ascending, "d" descending
    $                  the key under which the record stands, where keys are data
    @limit             an argument of the call; @#ids how many items it has; @ all arguments, known by their hash

so that "the count equals the number of rows", "the total is the sum of the prices" and "the id is the one asked for" are all
one thing: two features that are equal.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ._paths import ROOT, Each, below, each_item, each_value, parse, render, select
from ._seen import Seen, keys_are_data
from ._tasks import stable_hash

__all__ = [
    "ABSENT",
    "Features",
    "arguments_of",
    "digest",
    "features_of",
    "is_record",
    "read",
    "reader",
    "records_of",
    "standing",
]

MOST = 96
"""Features of one record."""
DEEPEST = 3
"""Levels of plain inner objects."""
LONGEST = 200
"""Longer texts are known by their hash."""


class Features(NamedTuple):
    """The features of one record; `codes` tells texts (s), numbers (n), booleans (b) and null (z) apart."""

    names: tuple[str, ...]
    codes: str
    values: tuple[Any, ...]


class _Absent:
    """Stands for a feature that is not there."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


def is_record(path: str) -> bool:
    """Say whether the objects at a path are records of their own rather than parts of one."""
    return path == ROOT or path.endswith(("[]", "*"))


def features_of(seen: Seen) -> Iterator[tuple[str, list[Features]]]:
    """Yield the features of every record of a call, by path."""
    asked = list(arguments_of(seen.arguments))
    yield ROOT, [_freeze([*asked, *_root(seen.result)])]
    for path, objects in seen.objects.items():
        if path != ROOT and is_record(path):
            keys: Iterable[Any] = seen.keys.get(path) or [None] * len(objects)
            yield (
                path,
                [
                    _freeze(
                        [*asked, *([("$", key)] if key is not None else []), *_fields(value, "", DEEPEST)]
                    )
                    for key, value in zip(keys, objects, strict=True)
                ],
            )


def records_of(arguments: Mapping[str, Any], result: Any, most: int) -> list[tuple[str, Features]]:
    """Return the root record of an answer and the rows of its lists one level down, at most so many of each."""
    asked = [("@", digest(arguments))]
    found = [(ROOT, _freeze([*asked, *_root(result)]))]
    lists = [(ROOT, result)] if type(result) is list else []
    if type(result) is dict:
        lists = [(below(ROOT, key), value) for key, value in result.items() if type(key) is str]
    for path, value in lists:
        if type(value) is list:
            rows = [item for item in value[:most] if type(item) is dict]
            found.extend((each_item(path), _freeze(list(_fields(row, "", DEEPEST)))) for row in rows)
        elif type(value) is dict and keys_are_data(value):
            pairs = [(key, item) for key, item in list(value.items())[:most] if type(item) is dict]
            found.extend(
                (each_value(path), _freeze([("$", key), *_fields(row, "", DEEPEST)])) for key, row in pairs
            )
    return found


def _root(result: Any) -> Iterator[tuple[str, Any]]:
    if type(result) is dict:
        if keys_are_data(result):
            yield "#", len(result)
            yield "=", digest(result)
        else:
            yield from _fields(result, "", DEEPEST)
    elif type(result) is list:
        yield from _list(result, "")
    else:
        yield ".", result


def _fields(value: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, Any]]:
    for key, inner in value.items():
        if type(key) is not str:
            continue
        path = below(prefix, key)
        if type(inner) is dict:
            if keys_are_data(inner):
                yield "#" + path, len(inner)
                yield "=" + path, digest(inner)
                yield from _sums(list(inner.values()), each_value(path))
            elif depth > 1:
                yield from _fields(inner, path, depth - 1)
        elif type(inner) is list:
            yield from _list(inner, path)
        else:
            yield "." + path, inner


def _list(items: list[Any], path: str) -> Iterator[tuple[str, Any]]:
    yield "#" + path, len(items)
    yield "=" + path, digest(items)
    yield from _sums(items, each_item(path))
    yield from _standing(items, each_item(path))


def _standing(items: list[Any], path: str) -> Iterator[tuple[str, Any]]:
    """Yield how the rows stand by each of their scalars."""
    if not 2 <= len(items) <= 1000:
        return
    if type(items[0]) is dict:
        for key, first in items[0].items():
            if type(first) in (int, float, str) and type(key) is str:
                column = [item.get(key) if type(item) is dict else None for item in items]
                found = standing(column)
                if found is not None:
                    yield "%" + below(path, key), found
    else:
        found = standing(items)
        if found is not None:
            yield "%" + path, found


def standing(column: list[Any]) -> str | None:
    """Say how a column stands: `u` all different, `a` ascending, `d` descending; None of what cannot be compared."""
    kinds = set(map(type, column))
    if not (kinds == {str} or kinds <= {int, float}):
        return None
    unique = "u" if len(set(column)) == len(column) else ""
    if len(column) < 3:
        return unique + "?"
    ordered = sorted(column)
    return unique + ("a" if column == ordered else "") + ("d" if column == ordered[::-1] else "")


def digest(value: Any) -> str:
    """Return the hash that a value is known by."""
    try:
        text = json.dumps(value, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = "?"
    return f"\0{stable_hash(text):x}"


def _sums(items: list[Any], path: str) -> Iterator[tuple[str, Any]]:
    if not items or len(items) > 1000:
        return
    first = items[0]
    if type(first) is dict:
        for key, number in first.items():
            if type(number) in (int, float) and type(key) is str:
                values = [item.get(key) if type(item) is dict else None for item in items]
                total = _sum(values)
                if total is not None:
                    yield "+" + below(path, key), total
    elif type(first) in (int, float):
        total = _sum(items)
        if total is not None:
            yield "+" + path, total


def _sum(values: list[Any]) -> float | None:
    if not all(type(value) in (int, float) for value in values):
        return None
    return round(math.fsum(values), 9)


def arguments_of(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in arguments.items():
        if type(name) is not str:
            continue
        if type(value) is list:
            yield "@#" + name, len(value)
            if len(value) <= 32 and all(type(item) in (str, int) for item in value):
                yield "@" + name, tuple(value)
        elif type(value) is not dict:
            yield "@" + name, value
    yield "@", digest(arguments)


def _freeze(found: list[tuple[str, Any]]) -> Features:
    found.sort(key=_name)
    codes, values = [], []
    for _, value in found[:MOST]:
        code, kept = _scalar(value)
        codes.append(code)
        values.append(kept)
    return Features(_names(tuple(name for name, _ in found[:MOST])), "".join(codes), tuple(values))


def _name(pair: tuple[str, Any]) -> str:
    return pair[0]


@lru_cache(maxsize=4096)
def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Keep one copy of each list of names."""
    return names


def _scalar(value: Any) -> tuple[str, Any]:
    python = type(value)
    if python is str:
        return "s", value if len(value) <= LONGEST else f"\0{stable_hash(value):x}"
    if python is float:
        # 1 and 1.0 are one value, whichever came first.
        return "n", int(value) if value.is_integer() and abs(
            value
        ) < 2**53 else value if value == value else "nan"  # noqa: PLR0124 - NaN
    if python is int:
        return "n", value
    if python is bool:
        return "b", value
    if python is tuple:
        return "l", value
    return ("z", None) if value is None else ("o", None)


Reader = Callable[[Any, Mapping[str, Any], str], Any]
"""Takes a record, the call's arguments and the record's place; gives the feature's value or ABSENT."""


@lru_cache(maxsize=4096)
def reader(feature: str) -> Reader:
    """Return the function that reads a feature of a record."""
    sigil, rest = feature[:1], feature[1:]
    if sigil == "@":
        if rest.startswith("#"):
            return lambda _record, arguments, _place: _size(arguments.get(rest[1:], ABSENT))
        if not rest:
            return lambda _record, arguments, _place: digest(arguments)
        return lambda _record, arguments, _place: arguments.get(rest, ABSENT)
    if sigil == "$":
        return lambda _record, _arguments, place: _key(place)
    if sigil == "#":
        return lambda record, _arguments, _place: _size(_first(record, rest))
    if sigil == "+":
        return lambda record, _arguments, _place: _total(record, rest)
    if sigil == "=":
        return lambda record, _arguments, _place: _digest_at(record, rest)
    if sigil == "%":
        return lambda record, _arguments, _place: _standing_at(record, rest)
    return lambda record, _arguments, _place: _scalar_at(record, rest)


def read(feature: str, record: Any, arguments: Mapping[str, Any], place: str) -> Any:
    """Read a feature of a record; ABSENT where it has none."""
    return reader(feature)(record, arguments, place)


def _first(record: Any, path: str) -> Any:
    for _, value in select(record, path):
        return value
    return ABSENT


def _scalar_at(record: Any, path: str) -> Any:
    value = _first(record, path)
    return ABSENT if isinstance(value, (dict, list)) else value


def _size(value: Any) -> Any:
    return len(value) if isinstance(value, (list, dict)) else ABSENT


def _digest_at(record: Any, path: str) -> Any:
    value = _first(record, path)
    return digest(value) if isinstance(value, (list, dict)) else ABSENT


def _standing_at(record: Any, path: str) -> Any:
    column = [value for _, value in select(record, path)]
    found = standing(column) if len(column) > 1 else None
    return ABSENT if found is None else found


def _key(place: str) -> Any:
    last = parse(place)[-1:] or (ABSENT,)
    return last[0] if isinstance(last[0], str) else ABSENT


def _total(record: Any, path: str) -> Any:
    steps = parse(path)
    depth = next((index for index, step in enumerate(steps) if isinstance(step, Each)), len(steps))
    # A row without the number leaves no sum to speak of.
    rows = sum(1 for _ in select(record, _upto(path, depth + 1)))
    values = [value for _, value in select(record, path)]
    if not values or len(values) != rows:
        return ABSENT
    total = _sum(values)
    return ABSENT if total is None else total


@lru_cache(maxsize=4096)
def _upto(path: str, steps: int) -> str:
    return render(parse(path)[:steps])
