"""Recorded calls of a folder, read from their end."""

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from outcome_monitors.values.folders import recorded

__all__ = ["FolderStorage"]

BLOCK = 2**20
"""Bytes that are read at once."""

Near = tuple[str | None, float, float]
"""A session, and the times that a call lies between."""


class FolderStorage:
    """The state of one host."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def recent_lines(self, tool: str, reach: int, near: Near | None = None) -> Iterator[bytes]:
        """Yield the recorded lines that may be of a tool, the newest first, from so many bytes at the end."""
        needle = json.dumps(tool if near is None else near[0]).encode()
        for file in reversed(recorded(self.folder)):
            size = file.stat().st_size
            for line in _backwards(file, min(size, reach)):
                if needle in line and (near is None or near[1] <= _seconds(line) <= near[2]):
                    yield line
            reach -= size
            if reach <= 0:
                return


def _seconds(line: bytes) -> float:
    with suppress(ValueError, TypeError, KeyError, RecursionError, OverflowError):
        found = datetime.fromisoformat(json.loads(line)["time"])
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    return float("nan")


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
