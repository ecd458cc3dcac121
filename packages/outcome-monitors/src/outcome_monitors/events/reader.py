"""Reading events back: all, the last, and those that come; from a store in a file, a file of JSON lines, or a fleet's PostgreSQL.

A folder or an address names them too; all are read by the same verbs.
"""

import json
import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath, storable
from outcome_monitors.jsonvalue.times import seconds_of
from outcome_monitors.storage.layout import EVENTS
from outcome_monitors.storage.opening import event_table
from outcome_monitors.storage.sqlite import empty_tables, transaction
from outcome_monitors.storage.storage import EventTable
from outcome_monitors.storage.tables import Rows

from .event import COLUMNS, OUTCOMES, SUPPRESSED, Row, dated

log = logging.getLogger("outcome_monitors.events")

PAGE = 2000
"""Events that are read at once: what is read for long holds no transaction open, and what is not asked for does not travel."""
LONG = 120.0
"""Seconds that a database may take to look through all events."""
BETWEEN = 0.25
"""Seconds between two looks for events that come."""
MARKS = 100
"""Of looks that found something, so many are remembered: a copy may be older than the last of them."""
_NUMBERED = ("id", *COLUMNS)

Where = FilePath | EventTable
"""What names a place of events."""


def read_events(where: Where, **which: Any) -> Iterator[dict[str, Any]]:
    """Return the events of a store, or of a file of JSON lines, in the order in which they were written.

    `tool`, `session`, `outcome` (or several), `since` a time, `after` and `before` a number, say which; None says nothing.
    """
    return _read(events_in(where), PAGE, which)


def read_last(where: Where, most: int, **which: Any) -> list[dict[str, Any]]:
    """Return the last of these events, in the order in which they were written; the others are not read."""
    return [*islice(_read(events_in(where), min(most, PAGE), which, newest=True), most)][::-1]


def newest(where: Where) -> int:
    """Return the number of the event that was written last; 0 where there is none yet."""
    table = events_at(where)
    if not table.exists():
        return 0
    with table.reading() as rows:
        return rows.last("events")


def follow(
    where: Where,
    after: int,
    *,
    on: Callable[[], bool] = lambda: True,
    wait: Callable[[float], None] = time.sleep,
    **which: Any,
) -> Iterator[dict[str, Any]]:
    """Yield the events behind a number, then those that come, for as long as `on` says; a store that is not there yet is waited for."""
    table = events_at(where)
    marks = deque[tuple[int, str]](maxlen=MARKS)
    while on():
        try:
            # Those that are not wanted are behind us too.
            last = newest(table)
            if not marks:
                marks.append((after, _time_of(table, after)))
            while marks and _is_another(table, last, *marks[-1]):
                # An older copy is in its place: what it has seen since is new, also under numbers that were read before.
                marks.pop()
                after = marks[-1][0] if marks else 0
        except OutcomeMonitorsError:
            # Someone is making it just now.
            last = after
        for event in read_events(table, **which, after=after) if last > after else ():
            last = max(last, event["event"])
            yield event
        if last > after:
            marks.append((last, _time_of(table, last)))
        after = last
        wait(BETWEEN)


def _is_another(table: EventTable, last: int, number: int, time: str) -> bool:
    """Say whether a number is another event's now, or nobody's yet; one that was deleted is none."""
    return last < number or _time_of(table, number) not in ("", time)


def _time_of(table: EventTable, number: int) -> str:
    return next((str(event["time"]) for event in read_events(table, after=number - 1, before=number + 1)), "")


def _read(
    table: EventTable, size: int, which: Mapping[str, Any], *, newest: bool = False
) -> Iterator[dict[str, Any]]:
    end = "before" if newest else "after"
    while True:
        with table.reading(LONG) as rows:
            found = rows.select("events", *_NUMBERED, most=size, newest=newest, **which)
        for row in found:
            try:
                event = _event(row)
            except (TypeError, ValueError, RecursionError) as error:
                log.warning("row %s of %s is not an event, and is skipped: %s", row["id"], table, error)
            else:
                yield event
        if len(found) < size:
            return
        which, size = {**which, end: found[-1]["id"]}, PAGE


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


def events_at(where: Where) -> EventTable:
    """Return the events that are meant: of a folder that something is learned in, those in it."""
    if not isinstance(where, str | os.PathLike):
        return where
    return LineFile(Path(where)) if os.fspath(where).endswith(".jsonl") else event_table(where)


def events_in(where: Where) -> EventTable:
    """Return the same; refuse a place where there is nothing to read."""
    table = events_at(where)
    if not table.exists():
        raise OutcomeMonitorsError(
            f"there is no store {table}; name the one that a proxy writes to (--events)"
        )
    return table


class LineFile:
    """The events of a file of JSON lines, each numbered as its line: a table, which grows as the file does."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # On disk as soon as it is large.
        self._connection = empty_tables(EVENTS, "")
        self._end = self._number = self._good = self._bad = 0
        """How many bytes, lines and events were read, and the number of the first line that is none."""

    def __str__(self) -> str:
        return str(self.path)

    def exists(self) -> bool:
        """Say whether the file is there."""
        return self.path.exists()

    def close(self) -> None:
        """Let the table go."""
        self._connection.close()

    @contextmanager
    def reading(self, _patience: float = 0.0) -> Iterator[Rows]:
        """Read what was written since the last time; a file that is shorter than it was has been rotated, and is read anew."""
        rows = Rows(self._connection)
        try:
            with transaction(self._connection):
                if not self._end or self.path.stat().st_size < self._end:
                    rows.delete("events")
                    self._end = self._number = self._good = self._bad = 0
                with self.path.open("rb") as lines:
                    lines.seek(self._end)
                    rows.put("events", self._taken(lines))
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot read {self}: {error.strerror or error}") from None
        if self._bad and not self._good:
            raise OutcomeMonitorsError(
                f"{self}:{self._bad} is not an event; is it a file that --events wrote?"
            )
        yield rows

    def _taken(self, lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
        for line in lines:
            # The last line may be read before its end is written, and is then read again.
            number, whole = self._number + 1, line.endswith(b"\n")
            if whole:
                self._number, self._end = number, self._end + len(line)
            try:
                if line.strip():
                    yield dict(zip(_NUMBERED, (number, *_row(line)), strict=True))
                    self._good += 1
            except (TypeError, ValueError, LookupError, OverflowError, RecursionError) as error:
                self._bad = self._bad or number
                if whole:
                    log.warning("%s:%d is not an event; the line is skipped: %s", self, number, error)


def _row(line: bytes) -> Row:
    """Return the row that a line stands for, in the form of `event.line_of` and of `events --format jsonl`; raise where it is none."""
    body = json.loads(line)
    texts = tool, outcome, why = body["tool"], body["outcome"], body.get("why", "")
    session, violations = body.get("session"), body.get("violations", [])
    if not all(isinstance(text, str) for text in (*texts, session or "")):
        raise TypeError("a name is no text")
    if not tool or outcome not in (*OUTCOMES, SUPPRESSED):
        raise ValueError(f"its outcome is none of {', '.join(OUTCOMES)}")
    if not all(isinstance(found["code"] + found["path"], str) for found in violations):
        raise TypeError("a violation has no code and path")
    return (
        seconds_of(body["time"]),
        session if session is None else storable(session),
        storable(tool),
        outcome,
        int(bool(body.get("told") or body.get("advised"))),
        float(body.get("duration_us", 0)) / 1e6,
        storable(why),
        json.dumps(violations),
        json.dumps(body.get("receipt")),
        *(json.dumps(body[side]) if side in body else None for side in ("arguments", "result")),
    )
