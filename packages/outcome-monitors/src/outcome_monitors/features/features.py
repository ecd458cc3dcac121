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

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.hashing import stable_hash
from outcome_monitors.jsonvalue.paths import ROOT, is_in_text
from outcome_monitors.jsonvalue.types import Hidden

from .feature import Feature

__all__ = [
    "ABSENT",
    "CODES",
    "LONGEST",
    "MOST",
    "Features",
    "Pick",
    "freeze",
    "is_answer",
    "is_hashed",
    "is_record",
    "kept",
    "picker",
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

    def __repr__(self) -> str:
        """Write it as any tuple with names; samples are ordered by that, and many records have the same names."""
        return f"Features(names={_names_shown(self.names)}, codes={self.codes!r}, values={self.values!r})"


@lru_cache(maxsize=4096)
def _names_shown(names: tuple[Feature, ...]) -> str:
    return repr(names)


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


def freeze(names: Sequence[Feature], told: Sequence[Any]) -> Features:
    """Return features, given by their names and values, in the order of the names and in the form in which they are kept."""
    types = tuple(map(type, told))
    if not _KNOWN.issuperset(types) and any(isinstance(value, Hidden) for value in told):
        shown = [index for index, value in enumerate(told) if not isinstance(value, Hidden)]
        return freeze([names[index] for index in shown], [told[index] for index in shown])
    # Of very many the order is not held: it would take much room.
    if len(names) > 4 * MOST:
        few = sorted(zip(names, told, strict=True), key=_name)[:MOST]
        return freeze([name for name, _ in few], [value for _, value in few])
    ordered, codes, pick, others, texts = _form(tuple(names), types)
    values = pick(told)
    if max(map(len, texts(values)), default=0) > LONGEST:
        values = tuple([kept(value) for value in values])
    elif others:
        in_form = [*values]
        for index in others:
            in_form[index] = kept(in_form[index])
        values = tuple(in_form)
    return Features(ordered, codes, values)


_name = itemgetter(0)

Pick = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Takes some values out of many."""


def picker(indices: Sequence[int]) -> Pick:
    """Return the function that takes the values at these places, as a tuple however many they are."""
    if len(indices) > 1:
        return itemgetter(*indices)
    return lambda values: tuple([values[index] for index in indices])


@lru_cache(maxsize=8192)
def _form(
    names: tuple[Feature, ...], types: tuple[type, ...]
) -> tuple[tuple[Feature, ...], str, Pick, tuple[int, ...], Pick]:
    """Return what records of the same names and types have in common: many have the same.

    The names in order, their codes, what puts values in that order, which of them are kept in another form, and what takes the texts.
    """
    order = sorted(range(len(names)), key=names.__getitem__)[:MOST]
    ordered = [types[index] for index in order]
    return (
        _names(tuple([names[index] for index in order])),
        "".join([CODES.get(python, "o") for python in ordered]),
        picker(order),
        tuple([place for place, python in enumerate(ordered) if python not in _AS_THEY_MAY_BE]),
        picker([place for place, python in enumerate(ordered) if python is str]),
    )


@lru_cache(maxsize=4096)
def _names(names: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Keep one copy of each list of names."""
    return names


def is_hashed(value: Any) -> bool:
    """Say whether a kept value is the hash of something longer, which says nothing to anyone."""
    return isinstance(value, str) and value.startswith("\0")


CODES: dict[type, str] = {str: "s", int: "n", float: "n", bool: "b", tuple: "l", type(None): "z"}
_KNOWN = frozenset(CODES)
_AS_IT_IS = frozenset({int, bool, tuple})
_AS_THEY_MAY_BE = _AS_IT_IS | {str, type(None)}
"""Types of values that are kept as they are, texts where they are short."""


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
