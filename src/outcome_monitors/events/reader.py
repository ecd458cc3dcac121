"""Reading events back: one by one, and counted, the flagged never with the clean."""

import json
import logging
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.files import FilePath, open_text

from .event import OUTCOMES
from .rows import dated
from .stores import VERSION

__all__ = ["Wanted", "counted", "read_events"]

log = logging.getLogger("outcome_monitors.events")


class Wanted(NamedTuple):
    """Which events to read; None takes all."""

    tool: str | None = None
    outcomes: tuple[str, ...] = ()
    session: str | None = None
    since: float | None = None

    def takes(self, event: dict[str, Any]) -> bool:
        """Say whether an event is one of those wanted."""
        return (
            (self.tool is None or event["tool"] == self.tool)
            and (not self.outcomes or event["outcome"] in self.outcomes)
            and (self.session is None or event["session"] == self.session)
            and (self.since is None or datetime.fromisoformat(event["time"]).timestamp() >= self.since)
        )


def read_events(path: FilePath, wanted: Wanted | None = None) -> Iterator[dict[str, Any]]:
    """Yield the events of a store, or of a file of JSON lines, in the order in which they were written."""
    file = Path(path)
    if not file.exists():
        raise OutcomeMonitorsError(
            f"there is no store {file}; name the one that a proxy writes to (--events)"
        )
    rows = _lines(file) if file.suffix == ".jsonl" else _rows(file)
    wanted = Wanted() if wanted is None else wanted
    return (event for event in rows if wanted.takes(event))


def counted(events: Iterator[dict[str, Any]]) -> dict[str, Counter[str]]:
    """Return how many events of each outcome each tool has."""
    found: dict[str, Counter[str]] = {}
    for event in events:
        found.setdefault(event["tool"], Counter())[event["outcome"]] += 1
    return dict(sorted(found.items()))


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    try:
        # Read-only: looking must not make a store, nor hold up those who write it.
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)
        ) as connection:
            [version] = connection.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                raise OutcomeMonitorsError(f"{file} is not a store of events that this release can read")
            connection.row_factory = sqlite3.Row
            for row in connection.execute("SELECT * FROM events ORDER BY id"):
                try:
                    event = _event(row)
                except (TypeError, ValueError, RecursionError) as error:
                    log.warning("row %s of %s is not an event, and is skipped: %s", row["id"], file, error)
                else:
                    yield event
    except sqlite3.Error as error:
        raise OutcomeMonitorsError(f"{file} cannot be read as a store of events: {error}") from None


def _event(row: sqlite3.Row) -> dict[str, Any]:
    event: dict[str, Any] = {
        "time": datetime.fromtimestamp(dated(row["time"]), UTC).isoformat(timespec="milliseconds"),
        "session": row["session"],
        "tool": row["tool"],
        "outcome": row["outcome"],
        "duration_us": round(row["duration"] * 1e6, 1),
    }
    violations = json.loads(row["violations"])
    if violations:
        event |= {
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
                event = _parsed(line)
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


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
        datetime.fromisoformat(event["time"])
        if event["outcome"] in OUTCOMES and isinstance(event["tool"], str):
            return {"session": None, **event}
    except (KeyError, TypeError, ValueError, RecursionError):
        pass
    return None
