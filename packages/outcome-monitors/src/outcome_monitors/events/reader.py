"""Reading events back: one by one, and counted, the flagged never with the clean."""

import json
import logging
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.files import open_text

from .event import FLAGGED, OUTCOMES
from .places import EventPlace, Where
from .rows import COLUMNS, dated

__all__ = ["Wanted", "counted", "parse_event", "read_events", "read_last"]

log = logging.getLogger("outcome_monitors.events")

PAGE = 2000
"""Events that are taken from a database at once."""
LONG = 120.0
"""Seconds that a database may take to look through all events."""
_NUMBERED = ("id", *COLUMNS)
_SELECT = f"SELECT {', '.join(_NUMBERED)} FROM events"  # noqa: S608 - columns of our own

Order = Literal["ASC", "DESC"]
Rows = Generator[tuple[Any, ...], None, None]


class Wanted(NamedTuple):
    """Which events to read; None takes all."""

    tool: str | None = None
    outcomes: tuple[str, ...] = ()
    session: str | None = None
    since: float | None = None
    after: int = 0
    """The number of an event; those behind it are wanted."""
    before: int | None = None
    """The number of an event; those before it are wanted."""

    def takes(self, event: dict[str, Any]) -> bool:
        """Say whether an event is one of those wanted."""
        return (
            (self.tool is None or event["tool"] == self.tool)
            and (not self.outcomes or event["outcome"] in self.outcomes)
            and (self.session is None or event["session"] == self.session)
            and (self.since is None or datetime.fromisoformat(event["time"]).timestamp() >= self.since)
            and event["event"] > self.after
            and (self.before is None or event["event"] < self.before)
        )

    def condition(self) -> tuple[str, list[Any]]:
        """Return the same for a query, with its values; of a store with millions, few are read."""
        parts = ["id > ?"]
        values: list[Any] = [self.after]
        if self.before is not None:
            parts.append("id < ?")
            values.append(self.before)
        for column, value in (("tool", self.tool), ("session", self.session)):
            if value is not None:
                parts.append(f"{column} = ?")
                values.append(value)
        if self.outcomes == (FLAGGED,):
            # In these words, of which there is an index.
            parts.append("outcome = 'flagged'")
        elif self.outcomes:
            parts.append(f"outcome IN ({', '.join('?' * len(self.outcomes))})")
            values += self.outcomes
        if self.since is not None:
            parts.append("time >= ?")
            values.append(self.since)
        return " AND ".join(parts), values


def read_events(where: Where, wanted: Wanted | None = None) -> Iterator[dict[str, Any]]:
    """Yield the events of a store, or of a file of JSON lines, in the order in which they were written."""
    place, wanted = EventPlace.at(where).required(), Wanted() if wanted is None else wanted
    if place.lines is None:
        return _rows(place, wanted)
    return (event for event in _lines(place.lines) if wanted.takes(event))


def read_last(
    where: Where, most: int, wanted: Wanted, holds: Callable[[dict[str, Any]], bool] = lambda _: True
) -> list[dict[str, Any]]:
    """Return the last events for which something holds, in the order in which they were written; of a store the others are not read."""
    place = EventPlace.at(where).required()
    if place.lines is not None:
        return [*deque(filter(holds, read_events(place, wanted)), most)]
    with closing(_rows(place, wanted, "DESC", most)) as events:
        return [*islice(filter(holds, events), most)][::-1]


def counted(events: Iterator[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Return how many events of each outcome each tool has."""
    found: dict[str, Counter[str]] = {}
    for event in events:
        found.setdefault(event["tool"], Counter())[event["outcome"]] += 1
    return dict(sorted(found.items()))


def _rows(
    place: EventPlace, wanted: Wanted, order: Order = "ASC", most: int = PAGE
) -> Generator[dict[str, Any], None, None]:
    with closing(_in_pages(place, wanted, order, most)) as rows:
        for row in rows:
            try:
                event = _event(dict(zip(_NUMBERED, row, strict=True)))
            except (TypeError, ValueError, RecursionError) as error:
                log.warning("row %s of %s is not an event, and is skipped: %s", row[0], place, error)
            else:
                yield event


def _in_pages(place: EventPlace, wanted: Wanted, order: Order, most: int) -> Rows:
    """Yield the rows a page at a time: what is read for long holds no transaction open, and what is not asked for does not travel."""
    with place.kept() as kept:
        since, size = wanted.since, min(most, PAGE)
        wanted = _from_first(kept, wanted)
        while True:
            condition, values = wanted.condition()
            if since is not None:
                # As a sum, so that a page goes by the numbers of events and not by the index of times.
                condition, values = f"{condition} AND time + 0 >= ?", [*values, since]
            with kept.reading(LONG) as connection:
                query = f"{_SELECT} WHERE {condition} ORDER BY id {order} LIMIT ?"
                rows = connection.execute(query, [*values, size]).fetchall()
            yield from rows
            if len(rows) < size:
                return
            last = rows[-1][0]
            wanted = wanted._replace(after=last) if order == "ASC" else wanted._replace(before=last)
            size = PAGE


def _from_first(place: EventPlace, wanted: Wanted) -> Wanted:
    """Return what is wanted from the number of the first event of its time on, instead of from that time on."""
    if wanted.since is None:
        return wanted
    with place.reading(LONG) as connection:
        # As a sum, so that times are looked up in their index instead of all events from the first on.
        query = "SELECT coalesce(min(id + 0), 0) FROM events WHERE time >= ?"
        [first] = connection.execute(query, (wanted.since,)).fetchone()
    return wanted._replace(since=None, after=max(wanted.after, first - 1))


def _event(row: Mapping[str, Any]) -> dict[str, Any]:
    event: dict[str, Any] = {
        "event": row["id"],
        "time": datetime.fromtimestamp(dated(row["time"]), UTC).isoformat(timespec="milliseconds"),
        "session": row["session"],
        "tool": row["tool"],
        "outcome": row["outcome"],
        "duration_us": round(row["duration"] * 1e6, 1),
        "told": bool(row["advised"]),
        "clauses": [],
    }
    violations = json.loads(row["violations"])
    if violations:
        event |= {
            # A store from before clauses had addresses names none.
            "clauses": [found["clause"] for found in violations if "clause" in found],
            "violations": violations,
            "receipt": json.loads(row["receipt"]),
            "advised": bool(row["advised"]),
        }
        if "version" in violations[0]:
            event["version"] = violations[0]["version"]
    if row["why"]:
        event["why"] = row["why"]
    return event | {side: json.loads(row[side]) for side in ("arguments", "result") if row[side] is not None}


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the events of a file; a line that is none, such as one whose writer was killed, is logged and skipped."""
    found, bad = 0, 0
    try:
        with open_text(file) as lines:
            for number, line in enumerate(lines, 1):
                event = parse_event(line, number)
                if event is not None:
                    found += 1
                    yield event
                elif line.strip():
                    bad = bad or number
                    log.warning("%s:%d is not an event; the line is skipped", file, number)
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot read {file}: {error.strerror or error}") from None
    if bad and not found:
        raise OutcomeMonitorsError(f"{file}:{bad} is not an event; is it a file that --events wrote?")


def parse_event(line: bytes, number: int) -> dict[str, Any] | None:
    """Return the event that a line of a file holds, or None; its number is that of the line."""
    try:
        event = json.loads(line)
        datetime.fromisoformat(event["time"])
        if event["outcome"] in OUTCOMES and isinstance(event["tool"], str):
            told = event.get("advised") is True
            return {"event": number, "session": None, "told": told, "clauses": [], **event}
    except (KeyError, TypeError, ValueError, RecursionError):
        pass
    return None
