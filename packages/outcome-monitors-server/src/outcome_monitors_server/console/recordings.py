"""What was recorded in a folder, read from its end: the call behind an alarm, and the last calls of a tool.

Traces grow by many megabytes; what a person looks at is recent, so of all files the last bytes are read.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.model import Json
from outcome_monitors.state.shared import SharedState
from outcome_monitors.values.folders import recorded
from outcome_monitors_server.report.observation import read_time

__all__ = ["call_behind", "last_calls"]

NEAR = 5.0
"""Seconds between an event and the line of the same call, at most."""
REACH = 64 * 2**20
"""Bytes of traces that are looked through for one call."""
REACH_OF_PAGE = 4 * 2**20
"""Bytes of which the page on a tool is made."""
BLOCK = 2**20
PAGE = 100
"""Lines that are taken from a database at once."""

Line = dict[str, Any]


def call_behind(state: StateFolder, event: Mapping[str, Any]) -> dict[str, Json]:
    """Return the arguments and the result of an event: its own, or those of the line that was recorded with it."""
    own = {side: event[side] for side in ("arguments", "result") if side in event}
    when = read_time(event["time"])
    if own or when is None:
        return own
    for call in _around(state, event, when):
        return {"arguments": call.get("arguments", {}), "result": call.get("result")}
    return {}


def _around(state: StateFolder, event: Mapping[str, Any], when: datetime) -> Iterator[Line]:
    """Yield the calls that may be that of an event, the newest first."""
    if state.shared is not None:
        # By the time of the database's clock; the line has that of its host.
        near = (when.timestamp() - NEAR, when.timestamp() + NEAR, event["tool"], event["session"])
        condition = "time BETWEEN ? AND ? AND tool = ? AND session IS NOT DISTINCT FROM ?"
        calls = map(_read, _shared_lines(state.shared, condition, near, REACH))
        yield from (call for call in calls if call is not None and _broken(call) == list(event["clauses"]))
        return
    needle = json.dumps(event["session"]).encode()
    for line in _lines(state.path, REACH):
        call = _read(line) if needle in line else None
        if call is not None and _same(call, event, when):
            yield call


def last_calls(state: StateFolder, tool: str, most: int) -> list[Line]:
    """Return the last recorded calls of a tool that did not fail, oldest first."""
    needle, found = json.dumps(tool).encode(), list[Line]()
    if state.shared is None:
        lines = _lines(state.path, REACH_OF_PAGE)
    else:
        lines = _shared_lines(state.shared, "tool = ?", (tool,), REACH_OF_PAGE)
    for line in lines:
        call = _read(line) if needle in line else None
        if call is not None and call.get("tool") == tool and not call.get("error"):
            found.append(call)
            if len(found) == most:
                break
    return found[::-1]


def _same(call: Line, event: Mapping[str, Any], when: datetime) -> bool:
    if call.get("tool") != event["tool"] or call.get("session") != event["session"]:
        return False
    time = read_time(call.get("time"))
    near = time is not None and abs((time - when).total_seconds()) <= NEAR
    # Calls of one session may be close; what was found tells them apart.
    return near and _broken(call) == list(event["clauses"])


def _broken(call: Line) -> list[str]:
    findings = call.get("findings")
    return [str(one[0]) for one in findings if one] if isinstance(findings, list) else []


def _read(line: bytes) -> Line | None:
    try:
        call = json.loads(line)
    except (ValueError, RecursionError):
        # The last line may be half written.
        return None
    return call if isinstance(call, dict) else None


def _shared_lines(
    shared: SharedState, condition: str, values: tuple[object, ...], reach: int
) -> Iterator[bytes]:
    """Yield the lines of a fleet for which something holds, the newest first."""
    before, number = 2**62, PAGE
    query = f"SELECT id, line FROM traces WHERE {condition} AND id < ? ORDER BY id DESC LIMIT {PAGE}"  # noqa: S608 - words of our own
    while reach > 0 and number == PAGE:
        with shared.reading() as connection:
            rows = connection.execute(query, (*values, before)).fetchall()
        for before, line in rows:  # noqa: B007 - the last one is where the next page begins
            reach -= len(line)
            yield line.encode()
        number = len(rows)


def _lines(folder: Path, reach: int) -> Iterator[bytes]:
    """Yield the recorded lines, the newest first."""
    for file in reversed(recorded(folder)):
        size = file.stat().st_size
        yield from _backwards(file, min(size, reach))
        reach -= size
        if reach <= 0:
            return


def _backwards(file: Path, reach: int) -> Iterator[bytes]:
    with file.open("rb") as lines:
        place = lines.seek(0, 2)
        least, rest = place - reach, b""
        while place > least:
            start = max(least, place - BLOCK)
            lines.seek(start)
            first, *whole = (lines.read(place - start) + rest).split(b"\n")
            yield from reversed(whole)
            place, rest = start, first
        if not least:
            yield rest
