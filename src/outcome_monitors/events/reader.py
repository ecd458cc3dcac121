"""Reading events back: one by one, and counted, the flagged never with the clean."""

import json
import logging
import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.files import FilePath, open_text
from outcome_monitors.values.folders import EVENTS, file_in
from outcome_monitors.values.sqlite_files import looking_into

from .event import FLAGGED, OUTCOMES
from .rows import dated
from .stores import TABLE, VERSION

__all__ = ["Wanted", "counted", "parse_event", "read_events", "read_last", "reading_store"]

log = logging.getLogger("outcome_monitors.events")


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


def read_events(path: FilePath, wanted: Wanted | None = None) -> Iterator[dict[str, Any]]:
    """Yield the events of a store, or of a file of JSON lines, in the order in which they were written."""
    file, wanted = _existing(path), Wanted() if wanted is None else wanted
    if file.suffix != ".jsonl":
        return _rows(file, wanted)
    return (event for event in _lines(file) if wanted.takes(event))


def read_last(
    path: FilePath, most: int, wanted: Wanted, holds: Callable[[dict[str, Any]], bool] = lambda _: True
) -> list[dict[str, Any]]:
    """Return the last events for which something holds, in the order in which they were written; of a store the others are not read."""
    file = _existing(path)
    if file.suffix == ".jsonl":
        return [*deque(filter(holds, read_events(file, wanted)), most)]
    with closing(_rows(file, wanted, "DESC")) as events:
        return [*islice(filter(holds, events), most)][::-1]


def _existing(path: FilePath) -> Path:
    file = file_in(path, EVENTS)
    if not file.exists():
        raise OutcomeMonitorsError(
            f"there is no store {file}; name the one that a proxy writes to (--events)"
        )
    return file


def counted(events: Iterator[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Return how many events of each outcome each tool has."""
    found: dict[str, Counter[str]] = {}
    for event in events:
        found.setdefault(event["tool"], Counter())[event["outcome"]] += 1
    return dict(sorted(found.items()))


def _rows(
    file: Path, wanted: Wanted, order: Literal["ASC", "DESC"] = "ASC"
) -> Generator[dict[str, Any], None, None]:
    condition, values = wanted.condition()
    with reading_store(file) as connection:
        connection.row_factory = sqlite3.Row
        query = f"SELECT * FROM events WHERE {condition} ORDER BY id {order}"  # noqa: S608 - columns of our own, and question marks
        for row in connection.execute(query, values):
            try:
                event = _event(row)
            except (TypeError, ValueError, RecursionError) as error:
                log.warning("row %s of %s is not an event, and is skipped: %s", row["id"], file, error)
            else:
                yield event


@contextmanager
def reading_store(file: Path) -> Iterator[sqlite3.Connection]:
    """Open a store of events to look into it; what goes wrong meanwhile is one sentence."""
    try:
        with looking_into(file) as connection:
            [version] = connection.execute("PRAGMA user_version").fetchone()
            if version == VERSION:
                yield connection
            elif version == 0 and _is_being_made(connection):
                with closing(sqlite3.connect(":memory:")) as empty:
                    empty.execute(TABLE)
                    yield empty
            else:
                raise OutcomeMonitorsError(f"{file} is not a store of events that this release can read")
    except sqlite3.Error as error:
        raise OutcomeMonitorsError(f"{file} cannot be read as a store of events: {error}") from None


def _is_being_made(connection: sqlite3.Connection) -> bool:
    """Say whether a store has nothing in it yet: whoever makes it has only begun, or was killed then."""
    tables = {name for [name] in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return tables <= {"events"} and not (tables and connection.execute("SELECT 1 FROM events").fetchone())


def _event(row: sqlite3.Row) -> dict[str, Any]:
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
