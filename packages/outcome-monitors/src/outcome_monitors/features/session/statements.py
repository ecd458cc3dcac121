"""What the calls of one session have said so far, and whether it still holds.

A record is known by each of its identities: a field whose name says so (`order_id`, `email`), the key it stands under, or,
for the answer as a whole, the tool and its arguments. What a call says of an identity holds in the next one, unless a tool that
writes was called between them. Memory is bounded: the identities not heard of for longest are forgotten first.
"""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.features.extraction import records_of
from outcome_monitors.features.feature import Feature, Features, Sort
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.features.limits import SESSION_IDENTITIES, SESSION_RECORDS
from outcome_monitors.jsonvalue.text import words

_IDENTITIES = frozenset({Sort.ARGUMENTS, Sort.KEY})
"""Sorts that name a record, whatever their name."""
_SAID = frozenset({Sort.FIELD, Sort.NUMBER, Sort.WHOLE})
"""Sorts that are remembered."""

Identity = tuple[str, Any]
"""What a record is the same by: the name of what names it, or the tool that was asked, and its value."""


Statement = tuple[str, Feature, Identity, Mapping[Feature, Any]]
"""What is said now of a record: its path, the feature that names it, its identity, and all that is said; hundreds are made of an answer."""


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
        self._known: OrderedDict[Identity, Mapping[Feature, Any]] = OrderedDict()

    def wrote(self) -> None:
        """Forget: what was said may no longer hold."""
        self._known.clear()

    def recall(self, statements: Iterable[Statement]) -> Iterator[Recollection]:
        """Yield all that is said now and was said before, of each identity in the order of the names."""
        for path, key, identity, said in statements:
            before = self._known.get(identity)
            if before:
                for name in sorted(said.keys() & before.keys()):
                    if name != key:
                        yield Recollection(path, key, name, before[name], said[name])

    def remember(self, statements: Iterable[Statement]) -> None:
        """Keep what is said now."""
        known = self._known
        for _, _, identity, said in statements:
            before = known.get(identity)
            # What is kept may be kept under other identities too, and is not changed.
            known[identity] = said if before is None or before.keys() <= said.keys() else {**before, **said}
            if before is not None:
                known.move_to_end(identity)
        while len(known) > SESSION_IDENTITIES:
            known.popitem(last=False)


def statements_of(tool: str, records: Iterable[tuple[str, Features]]) -> Iterator[Statement]:
    """Yield what records say, under each identity that they have."""
    for path, features in records:
        named = identities(tool, features)
        if named:
            said = {
                name: value
                for name, code, value in zip(features.names, features.codes, features.values, strict=True)
                if name.sort in _SAID and code != "l"
            }
            yield from [(path, key, identity, said) for key, identity in named]


def identities(tool: str, features: Features) -> list[tuple[Feature, Identity]]:
    """Return each feature that names a record, and the identity it gives it."""
    found: list[tuple[Feature, Identity]] = []
    for index, name, whose in _identifying(features.names):
        value = features.values[index]
        if name.sort is Sort.ARGUMENTS:
            found.append((name, (tool, value)))
        elif name.sort is Sort.KEY or names(value):
            found.append((name, (whose, value)))
    return found


def names(value: Any) -> bool:
    """Say whether a value can name a record."""
    return (type(value) is str and value != "") or type(value) is int


@lru_cache(maxsize=4096)
def says_of_what(name: Feature) -> bool:
    """Say whether a name says itself what it names: `order_id` does, and `id` does not."""
    return len(words(name)) > 1


@lru_cache(maxsize=4096)
def _identifying(names: tuple[Feature, ...]) -> tuple[tuple[int, Feature, str], ...]:
    """Return which of these features may name a record, and what says of what; many records have the same.

    A bare `id` says nothing itself, but the record's other fields do, however long they are.
    """
    shape = " ".join(name for name in names if name.sort in _SAID)
    return tuple(
        (index, name, name if name.sort is not Sort.FIELD or says_of_what(name) else shape)
        for index, name in enumerate(names)
        if name.sort in _IDENTITIES or (name.sort is Sort.FIELD and names_a_thing(name))
    )


def records_to_remember(arguments: Mapping[str, Any], result: Any) -> list[tuple[str, Features]]:
    """Return the records of an answer, those of each list only as far as they are remembered."""
    return records_of(arguments, result, SESSION_RECORDS)
