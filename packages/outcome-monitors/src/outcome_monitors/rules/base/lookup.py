"""Facts that are looked up together: all that one key decides, and what follows from that, in one look-up.

A contract has a clause for each pair of features, so that each can be read, muted and accepted by itself: the order decides the zip,
the city and the country, the zip decides the city, the city the country. Generated code tells them all by the order alone: where
that is known and has what it is known to come with, the others were tried when the code was written.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from outcome_monitors.model import Json
from outcome_monitors.records.features import ABSENT, kept

__all__ = ["FactFamily", "families", "is_whole", "key_as_written"]

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,999}")


class _Whatever:
    """Stands where nothing is known, and equals whatever comes."""

    __hash__ = None  # type: ignore[assignment]  # what equals everything has no hash

    def __eq__(self, other: object) -> bool:
        return True


_WHATEVER = _Whatever()


class FactFamily(NamedTuple):
    """What one key decides: for each field, what is known of which key, as a contract file has it."""

    key: str
    decided: Mapping[str, Mapping[str, Json]]

    def known(self) -> dict[Any, tuple[Any, ...]]:
        """Return what each key comes with, field by field; a whole number is written as its digits in a file."""
        keys = dict.fromkeys(key for facts in self.decided.values() for key in facts)
        known = {key: tuple(facts.get(key, _WHATEVER) for facts in self.decided.values()) for key in keys}
        return {**known, **{int(key): found for key, found in known.items() if is_whole(key)}}

    def settled(self, others: Iterable["FactFamily"]) -> dict[Any, tuple[Any, ...]]:
        """Return what each key comes with, for keys with which no fact of these others can be broken."""
        known = {
            key: dict(zip(self.decided, found, strict=True)) | {self.key: key}
            for key, found in self.known().items()
        }
        return {
            key: tuple(record[field] for field in self.decided)
            for key, record in known.items()
            if all(other.holds(record) for other in others)
        }

    def holds(self, record: Mapping[str, Any]) -> bool:
        """Say whether a record of which this is known surely breaks no fact; one that has any value may break some."""
        if record[self.key] is _WHATEVER or type(record[self.key]) is bool:
            # True equals 1, which names something.
            return False
        key = key_as_written(record[self.key])
        return key is None or all(
            (known := facts.get(key, ABSENT)) is ABSENT
            or (field in record and record[field] is not _WHATEVER and kept(record[field]) == known)
            for field, facts in self.decided.items()
        )

    def tells_of(self, other: "FactFamily") -> bool:
        """Say whether the key of another is known where the key of this one is."""
        return other.key in self.decided


def families(
    facts: Mapping[tuple[str, str], Mapping[str, Json]],
) -> Iterator[tuple[FactFamily, Sequence[FactFamily]]]:
    """Yield each family that is looked up, the one that tells most first, and those that it tells of."""
    by_key: dict[str, dict[str, Mapping[str, Json]]] = {}
    for (key, field), known in facts.items():
        by_key.setdefault(key, {})[field] = known
    left = [FactFamily(key, decided) for key, decided in by_key.items()]
    while left:
        told = {family.key: [other for other in left if family.tells_of(other)] for family in left}
        first = max(left, key=lambda family: sum(len(one.decided) for one in (family, *told[family.key])))
        others = [other for other in told[first.key] if other is not first]
        yield first, others
        left = [family for family in left if family is not first and family not in others]


def is_whole(key: str) -> bool:
    """Say whether a key of a contract file may stand for a whole number."""
    return _WHOLE.fullmatch(key) is not None


def key_as_written(identity: Any) -> str | None:
    """Return a key as a contract file can hold it; None of what is neither a text nor a whole number."""
    if type(identity) is str:
        return identity
    number = kept(identity)
    return repr(number) if type(number) is int else None
