"""What two runs have changed, compared: ids of new records, free texts and the order of sets do not count."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from .state import Record
from .world import World, first_tables

__all__ = ["MESSAGES", "Changed", "compare"]

Json = Any

MESSAGES = "messages"
FREE = {
    MESSAGES: frozenset({"subject", "body"}),
    "transfers": frozenset({"memo"}),
    "events": frozenset({"title", "organiser"}),
}
"""What is written in words of one's own, or follows from an order that nobody asked for."""
UNORDERED = {"events": frozenset({"attendees"}), "routines": frozenset({"steps"})}


@dataclass(slots=True)
class Changed:
    """What became of the changes that are due."""

    missing: list[str] = field(default_factory=list)
    """Due, and not there: `orders/ORD-50034`."""
    wrong: list[str] = field(default_factory=list)
    """There, and not due: the harm done."""
    names: dict[str, str] = field(default_factory=dict)
    """The ids that new records have in the other run."""
    alike: dict[str, list[str]] = field(default_factory=dict)
    """For each new record, all that hold the same there: messages between two people differ in their words alone."""

    @property
    def none(self) -> bool:
        """Say whether all is as it should be."""
        return not (self.missing or self.wrong)


def compare(due: World, done: World) -> Changed:
    """Hold what a run has changed against what is due."""
    found, first = Changed(), first_tables(due.seed)
    wanted, there = due.changes(), done.changes()
    for table in {**wanted, **there}:
        _match(table, wanted.get(table, {}), there.get(table, {}), first[table], found)
    return found


def _match(
    table: str, due: Mapping[str, Record], done: Mapping[str, Record], first: Container[str], found: Changed
) -> None:
    """Match changed records by id, and new ones by what they hold."""
    plain = {key: _plain(table, key, record) for key, record in done.items()}
    left = set(plain)
    for key, record in due.items():
        wanted = _plain(table, key, record)
        alike = [
            other
            for other, there in plain.items()
            if there == wanted and (other == key if key in first else other not in first)
        ]
        taken = next((other for other in alike if other in left), None)
        if taken is None:
            found.missing.append(f"{table}/{key}")
            continue
        left.remove(taken)
        if key not in first:
            found.names[key], found.alike[key] = taken, alike
    found.wrong += [f"{table}/{key}" for key in plain if key in left]


def _plain(table: str, key: str, record: Record) -> Json:
    """Return a record without what does not count."""
    number = key.rpartition("-")[2]
    return {
        name: _sorted(value) if name in UNORDERED.get(table, ()) else _anonymous(value, number)
        for name, value in record.items()
        if name not in FREE.get(table, ())
    }


def _sorted(value: Json) -> Json:
    return sorted(value, key=repr)


def _anonymous(value: Json, number: str) -> Json:
    """Write keys without the record's own number, and texts in one case."""
    if isinstance(value, dict):
        return {name.replace(number, "#"): _anonymous(item, number) for name, item in value.items()}
    if isinstance(value, list):
        return [_anonymous(item, number) for item in value]
    return " ".join(value.casefold().split()).strip(" .'\"") if isinstance(value, str) else value
