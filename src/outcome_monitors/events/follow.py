"""Events as they come: those of a store or a file that others write meanwhile."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.files import FilePath
from outcome_monitors.values.folders import EVENTS, file_in

from .reader import Wanted, parse_event, read_events, reading_store

__all__ = ["follow", "newest"]

BETWEEN = 0.25
"""Seconds between two looks."""


def newest(path: FilePath) -> int:
    """Return the number of the event that was written last; 0 where there is none yet."""
    file = file_in(path, EVENTS)
    if not file.exists():
        return 0
    if file.suffix == ".jsonl":
        with file.open("rb") as lines:
            return sum(1 for _ in lines)
    with reading_store(file) as connection:
        last: int = connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0]
        return last


def follow(
    path: FilePath,
    wanted: Wanted,
    *,
    on: Callable[[], bool] = lambda: True,
    wait: Callable[[float], None] = time.sleep,
) -> Iterator[dict[str, Any]]:
    """Yield the events behind `wanted.after`, then those that come, for as long as `on` says; a store that is not there yet is waited for."""
    file = file_in(path, EVENTS)
    if file.suffix == ".jsonl":
        yield from _lines(file, wanted, on, wait)
        return
    while on():
        # Those that are not wanted are behind us too.
        last = _last(file)
        for event in read_events(file, wanted) if last > wanted.after else ():
            last = max(last, event["event"])
            yield event
        wanted = wanted._replace(after=max(last, wanted.after))
        wait(BETWEEN)


def _last(file: Path) -> int:
    try:
        return newest(file)
    except OutcomeMonitorsError:
        # Someone is making it just now.
        return 0


def _lines(
    file: Path, wanted: Wanted, on: Callable[[], bool], wait: Callable[[float], None]
) -> Iterator[dict[str, Any]]:
    place, number = 0, 0
    while on():
        if file.exists() and file.stat().st_size < place:
            # It was rotated, as logs are.
            place, number, wanted = 0, 0, wanted._replace(after=0)
        for line in _whole_lines(file, place):
            place += len(line)
            number += 1
            event = parse_event(line, number)
            if event is not None and wanted.takes(event):
                yield event
        wait(BETWEEN)


def _whole_lines(file: Path, place: int) -> Iterator[bytes]:
    """Yield the lines from a place on; one that is still being written is left for the next look."""
    if not file.exists():
        return
    with file.open("rb") as lines:
        lines.seek(place)
        for line in lines:
            if line.endswith(b"\n"):
                yield line
