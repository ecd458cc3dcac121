"""What a text states, as JSON: its tables, lists, `Key: value` lines and the JSON that stands in it.

Most tools answer in texts. Each rule is held against a text as it is and against what is read here, so that what holds for rows
of JSON holds for rows of a table. Names of fields are as they are written; the first line of an item without one is its `title`.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from outcome_monitors.model import Json

MAX_TEXT = 8000
"""Characters at the beginning of a text that are looked at."""
MAX_VALUE = 120
HEAD = 300
"""Characters in which a text says how many there are, or what the JSON is that follows."""
MARKS = ' \t*`"•#-'
"""What may stand around a name or a value."""
ROWS = "rows"
"""The name under which the rows of a text stand."""

Row = dict[str, Any]

_NUMBERED = re.compile(r"^[#* \t]{0,4}(\d{1,4})[.)]\**\s", re.MULTILINE)
_BULLET = re.compile(r"^[-*•]\s+(?=\S)", re.MULTILINE)
_HEADING = re.compile(r"^#{1,4}\s+(?=\S)", re.MULTILINE)
_BLOCKS = re.compile(r"\n\s*(?:[-=*_]{3,}\s*)?\n|\n[-=]{3,}\n")
_NAME = re.compile(r"[^\W\d_][\w /().-]{0,40}")
_LINE = re.compile(
    r'^([ \t]*)[*`"•# \t-]{0,6}([^\W\d_][\w /().-]{0,40}?)[*`" ]{0,4}:(?!//)[ \t*`"]*([^\s*`"].{0,119})$',
    re.MULTILINE,
)
NUMERIC = frozenset("-$€£0123456789")
MAX_WORD = len("false")
_NUMBER = re.compile(r"[$€£]?(-?\d{1,15}(?:\.\d{1,9})?)\s?%?")
_RULER = re.compile(r"[\s|:+=-]*-{2,}[\s|:+=-]*")
_AMOUNTS = {
    "price": re.compile(
        r"[$€£]\s?(\d{1,9}(?:\.\d{1,2})?)\b|\b(\d{1,9}(?:\.\d{1,2})?)\s?(?:[$€£]|[A-Z]{3}\b)"
    ),
    "distance": re.compile(r"\b(\d{1,9}(?:\.\d{1,3})?)\s?(?:m|meters|metres)\b()"),
}
"""Amounts in the midst of an item, by the unit that stands beside them."""
_CLAIM = re.compile(
    r"^\W*(?:found|returned|listing|retrieved|total(?:\sof)?|there\sare)\W{0,3}(\d{1,6})\s(?!of\b|/|-|to\b|more\b)[^\n.]{0,60}:\**\s*$",
    re.IGNORECASE | re.MULTILINE,
)


def data_of(text: str) -> Json:
    """Return what a text states as an object or a list; None where it is prose."""
    return _data(text[:MAX_TEXT]) if "\n" in text[:MAX_TEXT] else _claimed(text[:HEAD], []) or None


@lru_cache(maxsize=16)
def _data(text: str) -> Json:
    found = _json_after_heading(text)
    if found is not None:
        return found
    lines = text.splitlines()
    rows = _table(lines)
    record: Row = {}
    if not rows:
        rows, record = _items(text)
    return {**record, **_claimed(text[:HEAD], rows), **({ROWS: rows} if rows else {})} or None


def _claimed(head: str, rows: Sequence[Row]) -> Row:
    """Return how many things a text announces above them, as a total."""
    found = _CLAIM.search(head)
    return {"total": int(found[1]), ROWS: list(rows)} if found else {}


def _json_after_heading(text: str) -> Json:
    """Return the JSON that is all of a text but for a line or two above it."""
    start = re.search(r"^(?:```\w*\n)?(?=[{\[]\s*[\"{\[\]}])", text[:HEAD], re.MULTILINE)
    if start is None:
        return None
    try:
        value, end = json.JSONDecoder().raw_decode(text, start.end())
    except (ValueError, RecursionError):
        return None
    return value if not text[end:].strip("` \n") and isinstance(value, (dict, list)) else None


def _table(lines: Sequence[str]) -> list[Row]:
    """Return the rows of the first table: with bars, with commas or tabs, or in columns under names in capitals."""
    for index, (line, after) in enumerate(pairwise(lines)):
        if "|" in line and "-" in after and _RULER.fullmatch(after):
            return [*_rows([line, *lines[index + 2 :]], "|")]
        for mark in "\t,":
            count = line.count(mark)
            if count and after.count(mark) == count and _is_head(line.split(mark)):
                rows = [*_rows(lines[index:], mark)]
                if count > 1 or (len(rows) > 1 and len(rows) == len(lines) - index - 1):
                    return rows
        if line.isupper() and len(line.split()) > 2 and len(line.split()) == len(after.split()):
            return [*_rows(lines[index:], None)]
    return []


def _rows(lines: Sequence[str], mark: str | None) -> Iterator[Row]:
    names = _cells(lines[0], mark)
    for line in lines[1:]:
        cells = _cells(line, mark)
        if not line.strip() or (mark and mark not in line):
            return
        if len(cells) == len(names) and (mark or not line[0].isspace()):
            yield {name: _value(cell) for name, cell in zip(names, cells, strict=True) if name}


def _cells(line: str, mark: str | None) -> list[str]:
    cells = line.strip().strip("|").split(mark) if mark == "|" else line.split(mark)
    return [cell.strip(' \t*`"') for cell in cells]


def _is_head(cells: Sequence[str]) -> bool:
    """Say whether cells are names of columns: few words, and no two alike."""
    short = all(_NAME.fullmatch(cell.strip(' "')) and cell.count(" ") < 3 for cell in cells)
    return short and len(set(cells)) == len(cells)


def numbered(text: str) -> int:
    """Return how many items a text numbers one after another; 0 where it does not, or numbers several lists."""
    return len(_numbered(text[:MAX_TEXT]))


def _numbered(text: str) -> list[int]:
    found = [*_NUMBERED.finditer(text)]
    one_list = [int(one[1]) for one in found] == [*range(1, len(found) + 1)]
    return [one.start() for one in found] if one_list else []


def _items(text: str) -> tuple[list[Row], Row]:
    """Return the items that a text lists, where they are alike, or the one record that it is."""
    units = {field: unit for field, unit in _AMOUNTS.items() if unit.search(text)}
    starts = _numbered(text)
    # Items under a number have bullets of their own, and those of a bullet have lines.
    for mark in (_BULLET, _HEADING):
        starts = starts if len(starts) > 1 else [one.start() for one in mark.finditer(text)]
    if len(starts) > 1:
        parts = [text[one:other] for one, other in pairwise([*starts, len(text)])]
        above = _fields(text[: starts[0]])
        rows = [_item(part, units) for part in parts]
        if all("title" in row for row in rows) or _alike(rows) == rows:
            return rows, above
    rows = _alike([_item(block, units) for block in _BLOCKS.split(text)])
    return (rows, {}) if len(rows) > 1 else ([], _fields(text))


def _alike(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of several fields, where almost all have one in common."""
    rows = [row for row in rows if len(row) > 1]
    [(common, times)] = Counter(name for row in rows for name in row).most_common(1) or [("", 0)]
    return [row for row in rows if common in row] if times > 1 and 5 * times >= 4 * len(rows) else []


def _item(part: str, units: Mapping[str, re.Pattern[str]]) -> Row:
    part = _NUMBERED.sub("", part, count=1)
    head = part.strip().partition("\n")[0]
    row = _fields(part)
    name = head.partition(":")[0].strip(MARKS)
    if name not in row:
        row = {"title": head.strip(MARKS)[:MAX_VALUE], **row}
    for field, unit in units.items():
        found = unit.findall(head) if field not in row and any(map(str.isdigit, head)) else []
        if len(found) == 1:
            row[field] = float(found[0][0] or found[0][1])
    return row


def _fields(part: str) -> Row:
    """Return the fields of a part, by its lines; not those of what is set in below them."""
    row: Row = {}
    deepest = len(part)
    for indent, name, value in _LINE.findall(part):
        if len(indent) <= deepest:
            # The first line of an item stands at its mark, and the others are set in.
            deepest = min(deepest, len(indent) + (0 if row else 3))
            row.setdefault(name, _value(value.strip(' \t*`"')))
    return row


def _value(text: str) -> Json:
    number = _NUMBER.fullmatch(text) if text[:1] in NUMERIC else None
    if number:
        return float(number[1]) if "." in number[1] else int(number[1])
    return text if len(text) > MAX_WORD else {"true": True, "false": False}.get(text.lower(), text)
