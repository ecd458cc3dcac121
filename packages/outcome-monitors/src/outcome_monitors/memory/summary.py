"""An answer as far as it can be told from others: what was asked, all that it says known by a hash, and the ids in it."""

from collections.abc import Hashable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.records.aggregates import digest
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import MOST, Features, Pick, picker
from outcome_monitors.records.identity import names_a_thing

__all__ = ["Summary", "about", "summary_of", "word_of"]

LARGEST = 10**18
LEAST_LENGTH = 3
"""Shorter texts are in any two calls by chance."""
DEEPEST = 2
"""Steps to an id of the answer itself: `id`, `order.id`."""

_QUESTION = Sort.ARGUMENTS.of()
_TOLD = frozenset({Sort.FIELD, Sort.NUMBER})
"""Sorts that show whether there is something in an answer."""
_CONTENT = frozenset({*_TOLD, Sort.SUM, Sort.WHOLE})
"""Sorts that an answer as a whole is known by."""
_NOTHING = (None, "", 0, False)
_SCALARS = frozenset({bool, float, int, str})
_SCALAR_CODES = frozenset("bns")


class Summary(NamedTuple):
    """One answer."""

    asked: str
    whole: Hashable
    """All that it says; None of one so wide that not all of it is kept."""
    tells: bool
    """There is something in it."""
    ids: tuple[tuple[Feature, Any, str], ...]
    """What names the answer: fields, their values, and these as words."""
    said: frozenset[tuple[str, Any]]
    """What it says, under the last name of each field."""
    about: frozenset[str]
    """What was asked about."""


def summary_of(arguments: Mapping[str, Any], root: Features) -> Summary:
    """Sum up an answer by its features."""
    parts, values = _parts(root.names, root.codes), root.values
    return Summary(
        # The features of a root record carry the hash of the arguments, unless there are too many others.
        str(values[parts.asked]) if parts.asked >= 0 else digest(arguments),
        _whole(parts, values),
        any(value not in _NOTHING for value in parts.told(values)),
        tuple([(name, values[n], word) for n, name in parts.ids if (word := word_of(values[n]))]),
        frozenset(zip(parts.fields, parts.scalars(values), strict=True)),
        about(arguments),
    )


class _RootParts(NamedTuple):
    """Which features of a root record say what of it."""

    asked: int
    told: Pick
    ids: tuple[tuple[int, Feature], ...]
    fields: tuple[str, ...]
    """The last names of the fields that have a plain value."""
    scalars: Pick
    contents: tuple[tuple[Feature, ...], str] | None
    """The names and codes of all that an answer is known by as a whole; None of one so wide that not all of it is kept."""
    content: Pick


@lru_cache(maxsize=4096)
def _parts(names: tuple[Feature, ...], codes: str) -> _RootParts:
    """Return the parts of records with these features; many have the same."""
    fields = [n for n, name in enumerate(names) if _is_field(name) and codes[n] in _SCALAR_CODES]
    content = [n for n, name in enumerate(names) if name.sort in _CONTENT]
    return _RootParts(
        names.index(_QUESTION) if _QUESTION in names else -1,
        picker([n for n, name in enumerate(names) if name.sort in _TOLD]),
        tuple((n, name) for n, name in enumerate(names) if _names_it(name)),
        tuple(str(names[n].steps[-1]) for n in fields),
        picker(fields),
        (tuple(names[n] for n in content), "".join(codes[n] for n in content)) if len(names) < MOST else None,
        picker(content),
    )


def _whole(parts: _RootParts, values: tuple[Any, ...]) -> Hashable:
    """Return all that an answer says; types, too, since a large number that is whole equals one that need not be."""
    if parts.contents is None:
        return None
    said = parts.content(values)
    return parts.contents, tuple(map(type, said)), said


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


def about(arguments: Mapping[str, Any]) -> frozenset[str]:
    """Return the texts and whole numbers that a call is about."""
    return frozenset([word for value in arguments.values() if len(word := word_of(value)) >= LEAST_LENGTH])
