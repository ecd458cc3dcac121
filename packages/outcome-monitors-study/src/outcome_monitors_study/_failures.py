"""What an endpoint failed in: tries that it broke off, requests that were sent again. Counted, paid for, never an outcome."""

import json
import os
from pathlib import Path

from outcome_monitors.model import Json

from ._json import canonical

__all__ = ["append_failure", "read_failures", "requests_sent_again"]


def read_failures(path: Path) -> list[dict[str, Json]]:
    """Return the broken-off tries of a study."""
    return [record for record in _records(path) if "error" in record]


def requests_sent_again(path: Path) -> int:
    """Return how many requests had to be sent again, in episodes that came to their end."""
    return sum(record.get("sent again", 0) for record in _records(path))


def _records(path: Path) -> list[dict[str, Json]]:
    """Return all notes; a line that was cut off itself is passed over."""
    if not path.exists():
        return []
    return [record for line in path.read_bytes().splitlines() if (record := _record(line)) is not None]


def _record(line: bytes) -> dict[str, Json] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) and "episode" in record else None


def append_failure(path: Path, record: dict[str, Json]) -> None:
    """Note something; what is left of a line that a crash cut off stays a line of its own."""
    with path.open("ab+") as file:
        torn = file.tell() > 0 and file.seek(-1, os.SEEK_END) >= 0 and file.read(1) != b"\n"
        file.write((b"\n" if torn else b"") + canonical(record).encode() + b"\n")
