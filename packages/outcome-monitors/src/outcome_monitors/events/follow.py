"""Events as they come: those of a store or a file that others write meanwhile."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError

from .places import EventPlace, Where
from .reader import Wanted, parse_event, read_events

__all__ = ["follow", "newest"]

BETWEEN = 0.25
"""Seconds between two looks."""


def newest(where: Where) -> int:
    """Return the number of the event that was written last; 0 where there is none yet."""
    place = EventPlace.at(where)
    if not place.exists():
        return 0
    if place.lines is not None:
        with place.lines.open("rb") as lines:
            return sum(1 for _ in lines)
    with place.reading() as connection:
        last: int = connection.execute("SELECT coalesce(max(id), 0) FROM events").fetchone()[0]
        return last


def follow(
    where: Where,
    wanted: Wanted,
    *,
    on: Callable[[], bool] = lambda: True,
    wait: Callable[[float], None] = time.sleep,
) -> Iterator[dict[str, Any]]:
    """Yield the events behind `wanted.after`, then those that come, for as long as `on` says; a store that is not there yet is waited for."""
    place = EventPlace.at(where)
    if place.lines is not None:
        yield from _lines(place.lines, wanted, on, wait)
        return
    with place.kept() as kept:
        while on():
            # Those that are not wanted are behind us too.
            last = _last(kept)
            for event in read_events(kept, wanted) if last > wanted.after else ():
                last = max(last, event["event"])
                yield event
            wanted = wanted._replace(after=max(last, wanted.after))
            wait(BETWEEN)


def _last(place: EventPlace) -> int:
    try:
        return newest(place)
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
