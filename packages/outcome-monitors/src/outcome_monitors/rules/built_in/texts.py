"""Texts as data: most tools answer in lists and in `Key: value` lines, and what holds for rows of JSON holds for those."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from .base import bare

__all__ = ["claimed", "listed", "rows_of"]

MAX_TEXT = 20_000
"""Characters at the beginning of a text that are looked at."""
HEAD = 300
"""Characters in which a text says how many there are."""

MARKS = ' \t*`"•#-'
"""What may stand around a name or a value."""
MAX_VALUE = 120

_NUMBERED = re.compile(r"^[#* \t]{0,4}(\d{1,4})[.)]\**\s", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][\w /-]{0,30}")
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
    return len(_starts(text[:MAX_TEXT]))


def rows_of(text: str) -> list[dict[str, Any]]:
    """Return the records that a text lists, by short names; none where its parts are not all alike."""
    text = text[:MAX_TEXT]
    starts = _starts(text)
    parts = [text[one:other] for one, other in pairwise([*starts, len(text)])] or _BLOCKS.split(text)
    rows = [row for part in parts if len(row := dict(_fields(part))) > 1]
    return rows if rows and all(next(iter(row)) in rows[0] for row in rows) else []


def _starts(text: str) -> list[int]:
    found = [*_NUMBERED.finditer(text)]
    return (
        [one.start() for one in found]
        if [int(one[1]) for one in found] == [*range(1, len(found) + 1)]
        else []
    )


def _fields(part: str) -> Iterator[tuple[str, Any]]:
    for line in part.splitlines():
        name, colon, value = line.partition(":")
        name, value = name.strip(MARKS), value.strip(MARKS)
        if colon and value and len(value) <= MAX_VALUE and _NAME.fullmatch(name):
            number = _NUMBER.fullmatch(value) and (float(value) if "." in value else int(value))
            yield bare(name), value if number is None else number
