"""The named facts of an object that relations speak of.

A record is the result itself, or the JSON in a text of it, or an item of a list, or a value of an object whose keys are data. Its
features are

    .status            a scalar field; fields of plain inner objects count too (.address.city)
    ~content           how many characters a long text has
    #items             how many items a list has, or values an object whose keys are data
    +items[].price     the sum of a number over the items
    =items             all of a list, known by its hash
    %items[].id        how the rows stand: "u" all different, "a" ascending, "d" descending
    <items[].id        a text of the first row; >items[].id of the last one, where there are more
    $                  the key under which the record stands, where keys are data
    @limit             an argument of the call; @ all arguments, known by their hash
    @:lines[].sku      what stands deeper in the arguments: one scalar, or a list's column
    @#ids, @+ids       how many items an argument has, and the sum of its numbers; @=ids all of it, known by its hash
    @~expression       the number that an argument like "2 * (3 + 4)" comes to

so that "the count equals the number of rows", "the total is the sum of the prices" and "the id is the one asked for" are all
one thing: two features that are equal. `extraction` finds all features of a record; `reader` reads one by its name.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from outcome_monitors.values.arithmetic import worth
from outcome_monitors.values.hashing import stable_hash
from outcome_monitors.values.paths import ROOT, Each, is_in_text, parse, render, select
from outcome_monitors.values.types import Hidden

from .aggregates import digest, standing, total

__all__ = [
    "ABSENT",
    "LEAST_EXTENT",
    "MADE",
    "MOST",
    "MOST_LISTED",
    "Features",
    "digest",
    "end",
    "extent",
    "freeze",
    "inside",
    "is_answer",
    "is_argument",
    "is_record",
    "kept",
    "reader",
    "shown",
    "standing",
]

MOST = 96
"""Features of one record."""
LONGEST = 200
"""Longer texts are known by their hash."""
LEAST_EXTENT = 40
MOST_LISTED = 32
"""Items of an argument that are kept; a longer list has a length alone."""


class Features(NamedTuple):
    """The features of one record.

    `codes` has one letter a value: texts (s), numbers (n), booleans (b), null (z), lists (l), others (o). It tells apart
    what Python calls equal: 1 and true.
    """

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
    return is_answer(path) or path.endswith(("[]", "*"))


def is_answer(path: str) -> bool:
    """Say whether what stands at a path is an answer as a whole: the result, or the JSON in a text of it."""
    return path == ROOT or is_in_text(path)


def is_argument(feature: str) -> bool:
    """Say whether a feature is one argument of the call, or stands in one, rather than a number made of it, or all of them."""
    return feature[:1] == "@" and feature[1:2] not in ("", *MADE)


def freeze(found: list[tuple[str, Any]]) -> Features:
    """Return features in the order of their names and in the form in which they are kept; sorts what it is given."""
    if not found:
        return Features((), "", ())
    found.sort(key=_name)
    names, values = zip(*found[:MOST], strict=True)
    codes = "".join([_CODES.get(type(value), "o") for value in values])
    if "o" in codes and any(isinstance(value, Hidden) for value in values):
        return freeze([pair for pair in found if not isinstance(pair[1], Hidden)])
    return Features(_names(names), codes, tuple([kept(value) for value in values]))


_name = itemgetter(0)


@lru_cache(maxsize=4096)
def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Keep one copy of each list of names."""
    return names


def shown(value: Any) -> Any:
    """Return a kept value as a person can read it."""
    return "another content" if isinstance(value, str) and value.startswith("\0") else value


_CODES: dict[type, str] = {str: "s", int: "n", float: "n", bool: "b", tuple: "l", type(None): "z"}
_AS_IT_IS = frozenset({int, bool, tuple})


def kept(value: Any) -> Any:
    """Return a value in the form in which a feature keeps it."""
    python = type(value)
    if python is str:
        return value if len(value) <= LONGEST else f"\0{stable_hash(value):x}"
    if python in _AS_IT_IS:
        return value
    return _number(value) if python is float else None


def _number(value: float) -> float | str:
    # 1 and 1.0 are one value, whichever came first, and a NaN equals itself.
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if value == value else "nan"  # noqa: PLR0124 - NaN


Reader = Callable[[Any, Mapping[str, Any], str], Any]
"""Takes a record, the call's arguments and the record's place; gives the feature's value or ABSENT."""


@lru_cache(maxsize=4096)
def reader(feature: str) -> Reader:
    """Return the function that reads a feature of a record."""
    sigil, rest = feature[:1], feature[1:]
    if sigil == "@":
        return _argument_reader(rest)
    if sigil == "$":
        return lambda _record, _arguments, place: _key(place)
    read = _READS.get(sigil, _scalar_at)
    return lambda record, _arguments, _place: read(record, rest)


def _argument_reader(name: str) -> Reader:
    if not name:
        return lambda _record, arguments, _place: digest(arguments)
    made = MADE.get(name[0])
    if made is not None:
        return lambda _record, arguments, _place: made(arguments.get(name[1:], ABSENT))
    if name[0] == ":":
        return lambda _record, arguments, _place: inside(arguments, name[1:])
    return lambda _record, arguments, _place: arguments.get(name, ABSENT)


def inside(arguments: Mapping[str, Any], path: str) -> Any:
    """Return the scalar at a path of the arguments, or the column, where the path leads through a list."""
    if Each.ITEM not in parse(path):
        return _scalar_at(arguments, path)
    column = tuple(value for _, value in select(arguments, path))
    return (
        column
        if 0 < len(column) <= MOST_LISTED and all(type(item) in (str, int) for item in column)
        else ABSENT
    )


def _sum(value: Any) -> Any:
    found = total(value) if isinstance(value, list) and value else None
    return ABSENT if found is None else found


def _worth(value: Any) -> Any:
    found = worth(value)
    return ABSENT if found is None else found


def _key(place: str) -> Any:
    last = parse(place)[-1:] or (ABSENT,)
    return last[0] if isinstance(last[0], str) else ABSENT


def _first(record: Any, path: str) -> Any:
    for _, value in select(record, path):
        return value
    return ABSENT


def _scalar_at(record: Any, path: str) -> Any:
    value = _first(record, path)
    return ABSENT if isinstance(value, (dict, list)) else value


def _size(value: Any) -> Any:
    return len(value) if isinstance(value, (list, dict)) else ABSENT


def extent(value: Any) -> Any:
    """Return how many characters a text has that is long enough for someone to have counted them."""
    return len(value) if isinstance(value, str) and len(value) >= LEAST_EXTENT else ABSENT


def _hash(value: Any) -> Any:
    return digest(value) if isinstance(value, list) else ABSENT


MADE: dict[str, Callable[[Any], Any]] = {"#": _size, "+": _sum, "~": _worth, "=": _hash}
"""What is made of an argument."""


def _size_at(record: Any, path: str) -> Any:
    return _size(_first(record, path))


def _digest_at(record: Any, path: str) -> Any:
    value = _first(record, path)
    return digest(value) if isinstance(value, (list, dict)) else ABSENT


def _standing_at(record: Any, path: str) -> Any:
    column = [value for _, value in select(record, path)]
    found = standing(column) if len(column) > 1 else None
    return ABSENT if found is None else found


def _total_at(record: Any, path: str) -> Any:
    steps = parse(path)
    depth = next((index for index, step in enumerate(steps) if isinstance(step, Each)), len(steps))
    # A row without the number leaves no sum to speak of.
    rows = sum(1 for _ in select(record, _upto(path, depth + 1)))
    column = [value for _, value in select(record, path)]
    found = total(column) if column and len(column) == rows else None
    return ABSENT if found is None else found


@lru_cache(maxsize=4096)
def _upto(path: str, steps: int) -> str:
    return render(parse(path)[:steps])


def end(items: Any, index: int, path: str) -> Any:
    """Return a scalar of the first row (0), or of the last of several (-1)."""
    if not isinstance(items, list) or len(items) + index < 1:
        return ABSENT
    return _scalar_at(items[index], path)


@lru_cache(maxsize=4096)
def _beyond(path: str, steps: int) -> str:
    return render(parse(path)[steps:])


def _end_at(index: int) -> Callable[[Any, str], Any]:
    """Return the function that reads a scalar of the first row or the last."""

    def read(record: Any, path: str) -> Any:
        steps = parse(path)
        depth = steps.index(Each.ITEM) if Each.ITEM in steps else len(steps)
        return end(_first(record, _upto(path, depth)), index, _beyond(path, depth + 1))

    return read


_READS: dict[str, Callable[[Any, str], Any]] = {
    ".": _scalar_at,
    "#": _size_at,
    "~": lambda record, path: extent(_first(record, path)),
    "=": _digest_at,
    "%": _standing_at,
    "+": _total_at,
    "<": _end_at(0),
    ">": _end_at(-1),
}
