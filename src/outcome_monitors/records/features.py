"""The named facts of an object that relations speak of.

A record is the result itself, or the JSON in a text of it, or an item of a list, or a value of an object whose keys are data. Its
features are

    .status            a scalar field; fields of plain inner objects count too (.address.city)
    ~content           how many characters a long text has
    #items             how many items a list has, or values an object whose keys are data
    +items[].price     the sum of a number over the items
    =items             all of a list, known by its hash
    |items             what names each item of a list, or the keys of an object whose keys are data
    %items[].id        how the rows stand: "u" all different, "a" ascending, "d" descending
    <items[].id        a text of the first row; >items[].id of the last one, where there are more
    $                  the key under which the record stands, where keys are data
    @limit             an argument of the call; @ all arguments, known by their hash
    @:lines[].sku      what stands deeper in the arguments: one scalar, or a list's column
    @#ids, @+ids       how many items an argument has, and the sum of its numbers; @=ids all of it, known by its hash
    @~expression       the number that an argument like "2 * (3 + 4)" comes to

so that "the count equals the number of rows", "the total is the sum of the prices" and "the id is the one asked for" are all
one thing: two features that are equal. `feature` has the names themselves, `extraction` finds all features of a record, and `reader`
reads one by its name.
"""

from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from outcome_monitors.values.hashing import stable_hash
from outcome_monitors.values.paths import ROOT, is_in_text
from outcome_monitors.values.types import Hidden

from .feature import Feature

__all__ = [
    "ABSENT",
    "CODES",
    "LONGEST",
    "MOST",
    "Features",
    "freeze",
    "is_answer",
    "is_hashed",
    "is_record",
    "kept",
]

MOST = 96
"""Features of one record."""
LONGEST = 200
"""Longer texts are known by their hash."""


class Features(NamedTuple):
    """The features of one record.

    `codes` has one letter a value: texts (s), numbers (n), booleans (b), null (z), lists (l), others (o). It tells apart
    what Python calls equal: 1 and true.
    """

    names: tuple[Feature, ...]
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


def freeze(found: list[tuple[Feature, Any]]) -> Features:
    """Return features in the order of their names and in the form in which they are kept."""
    if not found:
        return Features((), "", ())
    # Of very many the order is not held: it would take much room.
    few = found if len(found) <= 4 * MOST else sorted(found, key=_name)[:MOST]
    unsorted, told = zip(*few, strict=True)
    order, names = _in_order(unsorted)
    values = [told[index] for index in order]
    codes = "".join([CODES.get(type(value), "o") for value in values])
    if "o" in codes and any(isinstance(value, Hidden) for value in values):
        return freeze([pair for pair in found if not isinstance(pair[1], Hidden)])
    return Features(names, codes, tuple([kept(value) for value in values]))


_name = itemgetter(0)


@lru_cache(maxsize=4096)
def _in_order(names: tuple[Feature, ...]) -> tuple[list[int], tuple[Feature, ...]]:
    """Return the places of names in their order, and the names so; many records have the same."""
    order = sorted(range(len(names)), key=names.__getitem__)[:MOST]
    return order, _names(tuple([names[index] for index in order]))


@lru_cache(maxsize=4096)
def _names(names: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Keep one copy of each list of names."""
    return names


def is_hashed(value: Any) -> bool:
    """Say whether a kept value is the hash of something longer, which says nothing to anyone."""
    return isinstance(value, str) and value.startswith("\0")


CODES: dict[type, str] = {str: "s", int: "n", float: "n", bool: "b", tuple: "l", type(None): "z"}
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
