"""What the calls of one session have said so far, and whether it still holds.

A record is known by each of its identities: a field whose name says so (`order_id`, `email`), the key it stands under, or,
for the answer as a whole, the tool and its arguments. What a call says of an identity holds in the next one, unless a tool that
writes was called between them. Memory is bounded: the identities not heard of for longest are forgotten first.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.records.extraction import NOTHING_KNOWN, Known, records_of
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import Features
from outcome_monitors.records.identity import names_a_thing
from outcome_monitors.values.words import words

__all__ = ["Recollection", "Statements", "identities", "records_to_remember"]

MOST_IDENTITIES = 512
MOST_RECORDS = 24
"""Records of one path and call that are remembered."""

_IDENTITIES = frozenset({Sort.ARGUMENTS, Sort.KEY})
"""Sorts that name a record, whatever their name."""
_SAID = frozenset({Sort.FIELD, Sort.NUMBER, Sort.WHOLE})
"""Sorts that are remembered."""
_MADE_OF_ROWS = frozenset({Sort.SUM, Sort.ORDER, Sort.MEMBERS})


class Recollection(NamedTuple):
    """Something that was said before of an identity, beside what is said now."""

    path: str
    key: str
    field: Feature
    before: Any
    now: Any


class Statements:
    """What has been said of each identity since the last write."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[str, Any], dict[Feature, Any]] = OrderedDict()

    def wrote(self) -> None:
        """Forget: what was said may no longer hold."""
        self._known.clear()

    def recall(self, tool: str, records: Iterable[tuple[str, Features]]) -> Iterator[Recollection]:
        """Yield all that is said now and was said before."""
        known = self._known
        for path, features in records:
            for key, identity in identities(tool, features):
                before = known.get(identity)
                if before:
                    for name, value in _said(features):
                        if name != key and name in before:
                            yield Recollection(path, key, name, before[name], value)

    def remember(self, tool: str, records: Iterable[tuple[str, Features]]) -> None:
        """Keep what is said now."""
        known = self._known
        for _, features in records:
            named = [identity for _, identity in identities(tool, features)]
            said = dict(_said(features)) if named else {}
            for identity in named:
                known.setdefault(identity, {}).update(said)
                known.move_to_end(identity)
        while len(known) > MOST_IDENTITIES:
            known.popitem(last=False)


def identities(tool: str, features: Features) -> Iterator[tuple[Feature, tuple[str, Any]]]:
    """Yield each feature that names a record, and the identity it gives it."""
    for index in _identifying(features.names):
        name, value = features.names[index], features.values[index]
        if name.sort is Sort.ARGUMENTS:
            yield name, (tool, value)
        elif name.sort is Sort.KEY:
            yield name, (name, value)
        elif type(value) in (str, int) and value != "":
            yield name, (name if len(words(name)) > 1 else _shape(features.names), value)


@lru_cache(maxsize=4096)
def _identifying(names: tuple[Feature, ...]) -> tuple[int, ...]:
    """Return which of these features may name a record; many records have the same."""
    return tuple(
        index
        for index, name in enumerate(names)
        if name.sort in _IDENTITIES or (name.sort is Sort.FIELD and names_a_thing(name))
    )


@lru_cache(maxsize=4096)
def _shape(names: tuple[Feature, ...]) -> str:
    """Return what a bare `id` is the id of: it says nothing itself, but the record's other fields do."""
    return " ".join(name for name in names if name.sort.of_answer and name.sort not in _MADE_OF_ROWS)


def _said(features: Features) -> Iterator[tuple[Feature, Any]]:
    names, values = features.names, features.values
    return ((names[n], values[n]) for n in _remembered(names) if type(values[n]) is not tuple)


@lru_cache(maxsize=4096)
def _remembered(names: tuple[Feature, ...]) -> tuple[int, ...]:
    """Return which of these features are remembered; many records have the same."""
    return tuple(index for index, name in enumerate(names) if name.sort in _SAID)


def records_to_remember(
    arguments: Mapping[str, Any], result: Any, known: Known = NOTHING_KNOWN
) -> list[tuple[str, Features]]:
    """Return the records of an answer, those of each list only as far as they are remembered."""
    return records_of(arguments, result, MOST_RECORDS, known)
