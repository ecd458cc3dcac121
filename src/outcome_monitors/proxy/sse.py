"""One event of an SSE stream: its data, and the same event with other data."""

import re
from collections.abc import Callable

__all__ = ["with_data"]

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")


def with_data(event: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return an event with its data changed; where that stays the same, the very bytes that came."""
    lines = [(found[1], found[2]) for found in _LINE.finditer(event) if found[0]]
    data = [_value(line) for line, _ in lines if _is_data(line)]
    if not data:
        return event
    before = b"\n".join(data)
    after = change(before)
    if after == before:
        return event
    parts: list[bytes] = []
    for line, end in lines:
        if not _is_data(line):
            parts += [line, end]
        elif after:
            parts += [b"data: " + part + end for part in after.split(b"\n")]
            after = b""
    return b"".join(parts)


def _is_data(line: bytes) -> bool:
    return line == b"data" or line.startswith(b"data:")


def _value(line: bytes) -> bytes:
    return line[5:].removeprefix(b" ")
