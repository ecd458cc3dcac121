"""An answer as far as it can be told from others: what was asked, all that it says known by a hash, and the ids in it."""

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.records.aggregates import digest
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import MOST, Features
from outcome_monitors.records.identity import names_a_thing
from outcome_monitors.values.hashing import stable_hash

__all__ = ["Summary", "summary_of", "word_of"]

LARGEST = 10**18
DEEPEST = 2
"""Steps to an id of the answer itself: `id`, `order.id`."""

_QUESTION = Sort.ARGUMENTS.of()
_TOLD = frozenset({Sort.FIELD, Sort.NUMBER})
"""Sorts that show whether there is something in an answer."""
_CONTENT = frozenset({*_TOLD, Sort.SUM, Sort.WHOLE})
"""Sorts that an answer as a whole is known by."""
_NOTHING = (None, "", 0, False)
_SCALARS = frozenset({bool, float, int, str})


class Summary(NamedTuple):
    """One answer."""

    asked: str
    whole: Hashable
    """All that it says, or the hash of that; None of one so wide that not all of it is kept."""
    tells: bool
    """There is something in it."""
    ids: tuple[tuple[Feature, Any, str], ...]
    """What names the answer: fields, their values, and these as words."""
    said: frozenset[tuple[str, Any]]
    """What it says, under the last name of each field."""


def summary_of(arguments: Mapping[str, Any], root: Features) -> Summary:
    """Sum up an answer by its features."""
    names, values = root.names, root.values
    pairs = [*zip(names, values, strict=True)]
    return Summary(
        # The features of a root record carry the hash of the arguments, unless there are too many others.
        str(values[names.index(_QUESTION)]) if _QUESTION in names else digest(arguments),
        _whole(root),
        any(value not in _NOTHING for name, value in pairs if name.sort in _TOLD),
        tuple((name, value, word) for name, value in pairs if _names_it(name) and (word := word_of(value))),
        frozenset(
            (str(name.steps[-1]), value)
            for name, value in pairs
            if _is_field(name) and type(value) in _SCALARS
        ),
    )


@lru_cache(maxsize=16384)
def _names_it(name: Feature) -> bool:
    """Say whether a feature names what the answer is about: what lies deeper names what that belongs to."""
    return name.sort is Sort.FIELD and len(name.steps) <= DEEPEST and names_a_thing(name)


def _is_field(name: Feature) -> bool:
    return name.sort is Sort.FIELD and bool(name.steps)


def word_of(value: Any) -> str:
    """Return a text, or a whole number as one; nothing of what is neither, or too large to be written."""
    if type(value) is int:
        return str(value) if -LARGEST < value < LARGEST else ""
    return value if type(value) is str else ""


def _whole(root: Features) -> int | None:
    """Return the hash of all that an answer says. It is that of a text: to Python's own, -1 and -2 are the same."""
    if len(root.names) >= MOST:
        return None
    said = zip(root.names, root.codes, root.values, strict=True)
    try:
        return stable_hash(repr([part for part in said if part[0].sort in _CONTENT]))
    except ValueError:  # a number of thousands of digits
        return None
