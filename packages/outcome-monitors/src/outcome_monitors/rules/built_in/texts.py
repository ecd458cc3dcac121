"""Texts as data: most tools answer in lists and in `Key: value` lines, and what holds for rows of JSON holds for those."""

import re
from collections.abc import Iterator
from typing import Any

from .base import bare

__all__ = ["claimed", "listed", "rows_of"]

MAX_TEXT = 20_000
"""Characters at the beginning of a text that are looked at."""
HEAD = 300
"""Characters in which a text says how many there are."""

_NUMBERED = re.compile(r"^[#*\s]{0,4}(\d{1,4})[.)]\**\s", re.MULTILINE)
_FIELD = re.compile(
    r"^\s*(?:[-*•]\s+)?\**([A-Za-z][\w /-]{0,30}?)\**\s*:\**[ \t]+(\S[^\n]{0,120})$", re.MULTILINE
)
_BLOCKS = re.compile(r"\n\s*(?:[-=*_]{3,}\s*)?\n|\n[-=]{3,}\n")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,9})?")
_CLAIM = re.compile(
    r"^\W*(?:found|returned|listing|retrieved|total(?:\sof)?|there\sare)\W{0,3}(\d{1,6})\s(?!of\b|/|-|to\b|more\b)[^\n.]{0,60}:\**\s*$",
    re.IGNORECASE | re.MULTILINE,
)


def claimed(text: str) -> int | None:
    """Return how many things a text announces in the line above them; None where it does not."""
    found = _CLAIM.search(text[:HEAD])
    return int(found[1]) if found else None


def listed(text: str) -> int:
    """Return how many items a text numbers one after another; 0 where it does not, or numbers several lists."""
    numbers = [int(found[1]) for found in _NUMBERED.finditer(text[:MAX_TEXT])]
    return len(numbers) if numbers == [*range(1, len(numbers) + 1)] else 0


def rows_of(text: str) -> list[dict[str, Any]]:
    """Return the records that a text lists, by short names; none where its parts are not all alike."""
    rows = [dict(_fields(part)) for part in _parts(text[:MAX_TEXT])]
    rows = [row for row in rows if len(row) > 1]
    return rows if rows and all(next(iter(row)) in rows[0] for row in rows) else []


def _parts(text: str) -> list[str]:
    starts = [found.start() for found in _NUMBERED.finditer(text)]
    if len(starts) > 1 and listed(text):
        return [text[one:other] for one, other in zip(starts, [*starts[1:], len(text)], strict=True)]
    return _BLOCKS.split(text)


def _fields(part: str) -> Iterator[tuple[str, Any]]:
    for found in _FIELD.finditer(part):
        value = found[2].strip().strip('*`"')
        number = _NUMBER.fullmatch(value) and (float(value) if "." in value else int(value))
        yield bare(found[1]), value if number is None else number
