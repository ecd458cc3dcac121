"""A result as a person reads it: JSON with the doubtful places marked, bounded whatever it holds."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from outcome_monitors.jsonvalue.canonical import NOT_JSON, canonical
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import ROOT, at_index, below, in_text, parent, select
from outcome_monitors.jsonvalue.text import json_in
from outcome_monitors.model import Json
from outcome_monitors.reports import Markup, element

LONGEST = 30_000
"""Characters that are written in all."""
LONGEST_TEXT = 600
MOST_ITEMS = 30
"""Of a list or an object; those with a doubtful place in them come beside."""
MOST_PLACES = 500
DEEPEST = 30


def marked_json(value: Json, doubts: Iterable[Mapping[str, Any]]) -> tuple[Markup, list[str]]:
    """Return a value as markup with the places of violations marked, and those that are not in it."""
    plain = canonical(value)
    shown = value if plain is NOT_JSON else plain
    marked, absent = _places(shown, doubts)
    return element("pre", element("code", *_Pieces(marked).of(shown, ROOT, 0)), class_="json"), absent


def _places(value: Json, doubts: Iterable[Mapping[str, Any]]) -> tuple[dict[str, str], list[str]]:
    marked: dict[str, str] = {}
    absent: list[str] = []
    for doubt in doubts:
        path, words = str(doubt.get("path") or ""), str(doubt.get("detail") or doubt.get("code") or "")
        try:
            there = [place for place, _ in islice(select(value, path), MOST_PLACES)]
        except ValueError:
            there = []
        if path and not there and path not in absent:
            absent.append(path)
        for place in there if path else ():
            marked.setdefault(place, words)
    return marked, absent


class _Pieces:
    """Writes a value piece by piece, until there is enough."""

    def __init__(self, marked: Mapping[str, str]) -> None:
        self._marked = marked
        self._above = {above for place in marked for above in _with_parents(place)}
        self._left = LONGEST

    def of(self, value: Any, place: str, depth: int) -> Iterator[str]:
        if self._left <= 0:
            yield "…"
        elif place in self._marked:
            # Inside a mark nothing else is marked: it is the whole that is doubtful.
            yield element("mark", *self._inner(value, place, depth), title=self._marked[place])
        else:
            yield from self._inner(value, place, depth)

    def _inner(self, value: Any, place: str, depth: int) -> Iterator[str]:
        if depth > DEEPEST:
            yield "…"
        elif isinstance(value, dict):
            rows = [(f"{_text(str(key))}: ", below(place, str(key)), item) for key, item in value.items()]
            yield from self._block("{}", rows, depth)
        elif isinstance(value, list | tuple):
            rows = [("", at_index(place, index), item) for index, item in enumerate(value)]
            yield from self._block("[]", rows, depth)
        elif isinstance(value, str) and self._holds(inside := in_text(place)):
            yield from (self._written("(in this text) "), *self.of(json_in(value), inside, depth))
        else:
            yield self._written(_text(value))

    def _block(self, ends: str, rows: list[tuple[str, str, Any]], depth: int) -> Iterator[str]:
        if not rows:
            yield self._written(ends)
            return
        shown = [row for number, row in enumerate(rows) if number < MOST_ITEMS or self._holds(row[1])]
        space = "\n" + "  " * (depth + 1)
        yield self._written(ends[0])
        for number, (key, place, item) in enumerate(shown):
            yield self._written(f"{',' if number else ''}{space}{key}")
            yield from self.of(item, place, depth + 1)
        if len(shown) < len(rows):
            yield self._written(f",{space}… {len(rows) - len(shown):,} more")
        yield self._written("\n" + "  " * depth + ends[1])

    def _holds(self, place: str) -> bool:
        return place in self._above

    def _written(self, text: str) -> str:
        self._left -= len(text)
        return text


def _with_parents(place: str) -> Iterator[str]:
    while place:
        yield place
        place = parent(place)


def _text(value: Any) -> str:
    if isinstance(value, str):
        value = clip_text(value, LONGEST_TEXT) if len(value) > LONGEST_TEXT else value
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except ValueError:
        return clip_text(repr(value))
