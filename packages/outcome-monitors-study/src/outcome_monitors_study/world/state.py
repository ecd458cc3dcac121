"""What the world holds: tables of records, copied only where they change, and a clock that ticks once a call."""

import copy
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Tables = Mapping[str, dict[str, Record]]

_START = datetime(2031, 3, 10, 9, 0, tzinfo=UTC)
_TICK = timedelta(seconds=41)
TODAY = _START.date().isoformat()
"""The day on which every world starts; no run is long enough to see another."""


class Refused(Exception):  # noqa: N818 - it is an answer that the caller gets, not a mistake in the program
    """The call fails openly: the caller gets the sentence and the code as the result."""

    def __init__(self, sentence: str, code: str = "rejected") -> None:
        super().__init__(sentence)
        self.code = code


class WorldTable:
    """Records by id. The first ones are shared by all worlds of one seed and never change; changes lie on top."""

    def __init__(self, noun: str, first: dict[str, Record]) -> None:
        self._noun = noun
        self._first = first
        self._changed: dict[str, Record] = {}

    def get(self, key: str) -> Record:
        """Return a record to read, or refuse the call."""
        record = self._changed.get(key) or self._first.get(key)
        if record is None:
            raise Refused(f"There is no {self._noun} {key}.", "not_found")
        return record

    def first(self, refusal: str, fits: Callable[[Record], bool]) -> tuple[str, Record]:
        """Return the first record that fits with its id, or refuse the call."""
        found = next((pair for pair in self.items() if fits(pair[1])), None)
        if found is None:
            raise Refused(refusal, "not_found")
        return found

    def edit(self, key: str) -> Record:
        """Return a record to change, or refuse the call."""
        if key not in self._changed:
            self._changed[key] = copy.deepcopy(self.get(key))
        return self._changed[key]

    def add(self, record: Record) -> str:
        """Keep a new record under the next free id, and return the id."""
        prefix, _, last = next(reversed(self._first)).rpartition("-")
        added = sum(key not in self._first for key in self._changed)
        key = f"{prefix}-{int(last) + 1 + added}"
        self._changed[key] = record
        return key

    def __contains__(self, key: str) -> bool:
        return key in self._changed or key in self._first

    def items(self) -> Iterator[tuple[str, Record]]:
        """Yield ids and records in the order in which they came to be."""
        for key, record in self._first.items():
            yield key, self._changed.get(key, record)
        for key, record in self._changed.items():
            if key not in self._first:
                yield key, record

    def changes(self) -> dict[str, Record]:
        """Return what differs from the first records."""
        return {key: record for key, record in self._changed.items() if record != self._first.get(key)}


class State:
    """All tables of one world, and its time."""

    def __init__(self, seed: int, tables: Tables) -> None:
        self.seed = seed
        self.calls = 0
        self._tables = {name: WorldTable(name.rstrip("s"), records) for name, records in tables.items()}

    def __getitem__(self, table: str) -> WorldTable:
        return self._tables[table]

    @property
    def stamp(self) -> str:
        """The time, as results show it."""
        return (_START + self.calls * _TICK).strftime("%Y-%m-%dT%H:%M:%SZ")

    def noise(self, *parts: Any) -> float:
        """Return a number from 0 up to 1 that depends on the seed and the parts alone: prices, weather, readings."""
        return zlib.crc32("/".join(map(str, (self.seed, *parts))).encode()) / 2**32

    def changes(self) -> dict[str, dict[str, Record]]:
        """Return what the calls so far have changed, by table."""
        found = {name: table.changes() for name, table in self._tables.items()}
        return {name: changed for name, changed in found.items() if changed}
