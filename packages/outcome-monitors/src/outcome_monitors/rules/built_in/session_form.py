"""What form the results of a tool have had in a session: after some calls, one of another form stands out.

A contract learns the same from many tasks, and better. This is what there is before: few results, so only what differs grossly is
found. Nothing is said before `MIN_CALLS` different calls of the tool, and of each tool a bounded summary is kept.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from outcome_monitors.features.tool_names import may_write
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.times import when
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Json, Violation

from .base import MAX_DETAIL, lists_in, record_in
from .history import is_small
from .proofs import SameForm
from .wording import is_negative

__all__ = ["SessionForms"]

MIN_CALLS = 8
"""Different calls of a tool before its form is taken to be known."""
MIN_MEMBERS = 3
MAX_TOOLS = 256
MAX_MEMBERS = 64
MAX_ROWS = 20
MAX_WORDS = 3
"""Words of a text that stands for one of few values."""
ROWS = "[]"
"""Where the rows of a result that is a list stand."""
_GONE = "nothing"
_NOTHING = frozenset({"null", "None", "undefined", "{}", "[]"})
_PAGE = re.compile(r"\s*<(?:!doctype html|html)\b", re.IGNORECASE)


@dataclass(slots=True)
class _Member:
    """What a field has been in the results that had it."""

    results: int = 0
    forms: set[str] = field(default_factory=set)
    values: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Form:
    """What the results of one tool, or the rows of its lists, have been."""

    calls: set[int] = field(default_factory=set)
    odd: int = 0
    """Results in a row that were of another form."""
    results: int = 0
    kinds: set[str] = field(default_factory=set)
    members: dict[str, _Member] = field(default_factory=dict)

    def learn(self, record: Mapping[str, Any]) -> None:
        """Take note of a record."""
        self.results += 1
        for name, value in record.items():
            member = self.members.get(name)
            if member is None:
                if len(self.members) >= MAX_MEMBERS or not isinstance(name, str):
                    continue
                member = self.members[name] = _Member()
            member.results += 1
            member.forms.add(_form_of(value))
            if isinstance(value, str) and len(member.values) <= MIN_CALLS:
                member.values.add(value[:80])

    def always(self) -> Iterator[tuple[str, _Member]]:
        """Yield the members that all results had, always with a value and always of one form."""
        for name, member in self.members.items():
            if member.results == self.results and len(member.forms) == 1 and _GONE not in member.forms:
                yield name, member


class SessionForms:
    """The forms of a session's results, by tool."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], _Form] = {}

    def check(self, tool: str, result: Json, *, remember: bool = True) -> list[Violation]:
        """Return in what a result differs grossly from those before; where as many in a row do, the form is a new one."""
        form = self._known.get((tool, ""))
        if form is None or len(form.calls) < MIN_CALLS:
            return []
        found = list(self._differences(form, tool, result))
        if remember:
            form.odd = form.odd + 1 if found else 0
        if form.odd > MIN_CALLS:
            for key in [key for key in self._known if key[0] == tool]:
                del self._known[key]
            return []
        return found

    def _differences(self, form: _Form, tool: str, result: Json) -> Iterator[Violation]:
        kind = _whole(result)
        if kind not in form.kinds:
            if not (may_write(tool) if kind == _GONE else isinstance(result, str) and is_negative(result)):
                yield _violation(
                    "",
                    " or ".join(sorted(form.kinds)),
                    result,
                    f"{len(form.calls)} results before were none like it",
                )
            return
        path, record = record_in(result)
        if isinstance(result, dict):
            yield from _differs(form, path, record)
        for place, rows in lists_in(result).items():
            of_rows = self._known.get((tool, place or ROWS))
            if of_rows is not None and of_rows.results >= MIN_CALLS:
                yield from _rows_differ(of_rows, place, rows)

    def learn(self, tool: str, arguments: Mapping[str, Json], result: Json) -> None:
        """Take note of a result that nothing is wrong with."""
        if (tool, "") not in self._known and len(self._known) >= MAX_TOOLS:
            return
        form = self._known.setdefault((tool, ""), _Form())
        if len(form.calls) < MIN_CALLS:
            form.calls.add(_question(arguments))
        form.kinds.add(_whole(result))
        _, record = record_in(result)
        if record:
            form.learn(record)
        for place, rows in lists_in(result).items():
            if (tool, place or ROWS) in self._known or len(self._known) < MAX_TOOLS:
                of_rows = self._known.setdefault((tool, place or ROWS), _Form())
                for row in rows[:MAX_ROWS]:
                    if isinstance(row, dict):
                        of_rows.learn(row)


def _question(arguments: Mapping[str, Json]) -> int:
    """Return a hash of what a call asked for."""
    asked = {
        str(name): json.dumps(value, sort_keys=True) if is_small(value) else "much"
        for name, value in islice(arguments.items(), MAX_MEMBERS)
    }
    return hash(frozenset(asked.items()))


def _differs(form: _Form, path: str, record: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield the fields of another form, or, where most are gone, that."""
    always = dict(form.always())
    gone = [name for name in always if _form_of(record.get(name)) == _GONE]
    if len(always) >= MIN_MEMBERS and 2 * len(gone) > len(always):
        detail = f"{len(gone)} of {len(always)} fields that all results before had are gone"
        yield _violation(path, sorted(always)[:8], sorted(map(str, record))[:8], detail)
        return
    for name, member in always.items():
        value = record.get(name)
        if _is_other(member, value):
            yield _violation(below(path, name), _one(member.forms), value)


def _rows_differ(form: _Form, place: str, rows: list[Any]) -> Iterator[Violation]:
    """Yield the fields that are gone, or of another form, in all rows."""
    some = [row for row in rows[:MAX_ROWS] if isinstance(row, dict)]
    if len(some) < 2:
        return
    for name, member in form.always():
        values = [row.get(name) for row in some]
        if all(_form_of(value) == _GONE or _is_other(member, value) for value in values):
            yield _violation(below(at_index(place, 0), name), _one(member.forms), values[0])


def _is_other(member: _Member, value: Json) -> bool:
    """Say whether a value is grossly another than all before; what is missing or empty is no form."""
    form = _form_of(value)
    if form == _GONE or form in member.forms:
        return False
    known = _one(member.forms)
    texts = {"word", "words", "time"}
    if form in texts and known in texts:
        if known == "time":
            return True
        few = 2 * len(member.values) <= member.results
        return known == "word" and form == "words" and few and len(str(value).split()) > MAX_WORDS
    return not ({form, known} <= {"object", "array"} and not value)


def _one(forms: set[str]) -> str:
    return next(iter(forms))


def _form_of(value: Any) -> str:
    if value is None or value == "":
        return _GONE
    if not isinstance(value, str):
        return "number" if kind_of(value) in ("integer", "number") else kind_of(value)
    if when(value) is not None:
        return "time"
    return "words" if any(map(str.isspace, value[:200])) else "word"


def _whole(result: Json) -> str:
    if isinstance(result, str):
        if not result.strip() or result.strip() in _NOTHING:
            return _GONE
        return "page" if _PAGE.match(result) else "text"
    return _GONE if result is None else kind_of(result)


def _violation(path: str, expected: Json, observed: Json, detail: str = "") -> Violation:
    detail = detail or "all results before had another form there"
    return Violation(SameForm.code, path, clip(expected), clip(observed), clip_text(detail, MAX_DETAIL))
