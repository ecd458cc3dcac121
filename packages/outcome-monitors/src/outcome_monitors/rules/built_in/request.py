"""`request_honored`: what was asked for holds for what comes back."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.model import Json
from outcome_monitors.rules.base.traits import Cause

from .base import BuiltIn, Finding, bare, is_amount, is_scalar, lists_in, record_in, rows_in, texts_in
from .constraints import CallConstraints, constraints_of, with_queries
from .forms import another_language, another_unit
from .reading import numbered
from .vocabulary import named

DISTANCES = named("distance dist distancem distancekm distancemeters distanceinmeters")
SAME_UNIT = 1.5
"""A distance farther beyond the radius may be in another unit."""
SAME_MONEY = 30
"""An amount so many times beyond a bound may be in cents."""
DATES = named(
    "date datetime time timestamp day createdat created published publishedat updatedat publicationdate"
)
ANYTHING = named("all any none")
TIMES = named("time start departure depart begin")
CODED = named("country language lang currency city state region")
LONGEST_CODE = 3
"""What is known by a code may be asked for by its name: `DE` for Germany."""
NEAR = 0.5
"""Degrees by which the place of a forecast may be off."""
MIN_WORDS = 3
MIN_ANSWER = 150
"""Characters of an answer that would have some word of the question."""
MAX_TEXT = 200_000
MAX_QUESTION = 2000
"""Characters of a text that is looked for; a longer one is something else."""
MAX_IDENTITY = 1000
"""Characters of a text that names a thing."""

_SPAN = re.compile(r"^[^\n]*?\b(\d\d:\d\d)\s*(?:->|→|-|\u2013|to)\s*\d\d:\d\d\b", re.MULTILINE)
_WORD = re.compile(r"[a-zà-ÿ]{3,}")
_COMMON = named(
    "the and for with from about are was were what how who which when where why new best top all any this that its their your our can does has have not than then into over under between"
)
_NAMED = re.compile(r"(?=.*[A-Za-z].*\d)[\w-]{4,60}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CODE = re.compile(r"[A-Z0-9]{2,6}")
_SHORT_CODE = re.compile(r"[A-Za-z]{2,3}")
Rows = Sequence[Mapping[str, Any]]


class RequestHonored(BuiltIn):
    """The result has what the call asked for: the thing, the filters, the range, the number, the order, the fields."""

    name = "request_honored"
    code = "request_ignored"
    cause = Cause.ANOTHER_QUESTION
    sentence = "the result is of what the call asked for"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Hold each argument against the answer by its name and value."""
        if not arguments:
            return
        arguments = with_queries(arguments)
        asked = constraints_of(arguments)
        if isinstance(result, str):
            yield from _irrelevant(asked, arguments, result)
            yield from _in_another_form(asked, arguments, [result])
            yield from _unsorted_lines(arguments, result)
            yield from _absent_code(arguments, result)
            yield from _another_thing(asked, arguments, result)
            yield from _too_many(asked, arguments, "", numbered(result) if asked.limits else 0)
        elif isinstance(result, (dict, list)):
            yield from _irrelevant(asked, arguments, result)
            if asked.languages or asked.units:
                yield from _in_another_form(asked, arguments, [text for _, text in texts_in(result)])
            yield from _entity(asked, arguments, result)
            for path, found in lists_in(result).items():
                if all(isinstance(row, dict) for row in found[:3]):
                    yield from _too_many(asked, arguments, path, len(found))
            path, rows = rows_in(result)
            if rows:
                yield from _radius(asked, arguments, path, rows)
                yield from _of_rows(asked, arguments, path, rows, result if isinstance(result, dict) else {})
                yield from _sorted(asked, arguments, path, rows)
                yield from _fields(asked, arguments, path, rows)


def _entity(asked: CallConstraints, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
    """The record is of the thing that was asked for, and repeats the question as it was asked."""
    path, record = record_in(result)
    fields = {bare(name): name for name in record if isinstance(name, str)}
    for name, known in asked.things:
        value, field = arguments[name], fields.get(known)
        if (
            field is not None
            and isinstance(value, str)
            and is_scalar(record[field])
            and ("@" in str(record[field]) or "@" not in value)
            and not _agree(name, value, record[field])
        ):
            yield Finding(below(path, field), value, record[field], f"{name} {value} was asked for")
    for name, known in asked.echoes:
        value, field = arguments[name], fields.get(known)
        if field is not None and not _repeats(known, value, record[field]):
            yield Finding(below(path, field), value, record[field], f"{name} {value} was asked for")


def _another_thing(asked: CallConstraints, arguments: Mapping[str, Json], text: str) -> Iterator[Finding]:
    """Look for a name that is formed as the one that was asked for, where that one stands nowhere: `OPS-41` for `OPS-14`."""
    for name, _ in asked.things:
        value = arguments[name]
        if not isinstance(value, str) or not _NAMED.fullmatch(value) or value.casefold() in text.casefold():
            continue
        alike = re.compile(
            rf"(?<![\w-]){re.sub('[0-9]+', '[0-9]+', re.escape(value))}(?![\w-])", re.IGNORECASE
        )
        other = alike.search(text[:MAX_IDENTITY])
        if other:
            yield Finding("", value, other[0], f"{name} {value} was asked for, and stands nowhere")


def _in_another_form(
    asked: CallConstraints, arguments: Mapping[str, Json], texts: Sequence[str]
) -> Iterator[Finding]:
    """The answer is in the language and in the units that were asked for."""
    for name in asked.languages:
        found = another_language(
            arguments[name], max((one for one in texts if one.count(" ") > 3), key=len, default="")
        )
        if found:
            yield Finding("", str(arguments[name]), found, f"{name} {arguments[name]} was asked for")
    for name in asked.units:
        found = another_unit(arguments[name], "\n".join(texts)[:MAX_TEXT])
        if found:
            yield Finding("", str(arguments[name]), found, f"{name} {arguments[name]} was asked for")


def _repeats(name: str, asked: Json, echo: Json) -> bool:
    """Say whether an answer may have understood an argument as it was meant."""
    one: Any = asked
    other: Any = echo
    if is_amount(one) and is_amount(other):
        off = NEAR if name.startswith(("lat", "lon", "lng")) else 0.01 * abs(one)
        return bool(abs(one - other) <= off)
    alike = isinstance(asked, str) and isinstance(echo, str) and len(asked) == len(echo) <= MAX_IDENTITY
    return (
        not alike
        or not _SHORT_CODE.fullmatch(asked)
        or not _SHORT_CODE.fullmatch(echo)
        or _agree(name, asked, echo)
    )


def _too_many(
    asked: CallConstraints, arguments: Mapping[str, Json], path: str, number: int
) -> Iterator[Finding]:
    for name in asked.limits:
        most: Any = arguments[name]
        if type(most) is int and 0 < most < number:
            yield Finding(path, f"at most {most} items", number, f"{name} {most} was asked for")


def _radius(
    asked: CallConstraints, arguments: Mapping[str, Json], path: str, rows: Rows
) -> Iterator[Finding]:
    for name in asked.radii:
        radius: Any = arguments[name]
        if not is_amount(radius) or radius <= 0:
            continue
        for index, row in enumerate(rows):
            for field, distance in row.items():
                near = is_amount(distance) and distance <= SAME_UNIT * radius
                if near and isinstance(field, str) and bare(field) in DISTANCES and distance > radius:
                    where = below(at_index(path, index), field)
                    yield Finding(where, f"at most {radius}", distance, f"{name} {radius} was asked for")


def _of_rows(
    asked: CallConstraints,
    arguments: Mapping[str, Json],
    path: str,
    rows: Rows,
    own: Mapping[str, Any] | None = None,
) -> Iterator[Finding]:
    """Each row has the value and is within the bounds that were asked for; of a record, its rows are another matter."""
    if not asked.of_rows or not rows:
        return
    fields = {bare(field): field for field in rows[0] if isinstance(field, str)}
    for name, known, strict in asked.filters:
        field = fields.get(known)
        if field is not None and name not in (own or {}):
            yield from _filtered(name, arguments[name], path, field, rows, strict=strict)
    for name, known, least in asked.bounds:
        bound: Any = arguments[name]
        field = fields.get(known)
        if field is None or not is_amount(bound) or bound <= 0:
            continue
        for index, row in enumerate(rows):
            value: Any = row.get(field)
            if is_amount(value) and value > 0 and _is_beyond(value, bound, least=least):
                where = below(at_index(path, index), field)
                yield Finding(
                    where,
                    f"at {'least' if least else 'most'} {bound}",
                    value,
                    f"{name} {bound} was asked for",
                )
                break
    for name, when, first in asked.days:
        yield from _days(name, arguments[name], when, path, rows, first=first)


def _is_beyond(value: Any, bound: Any, *, least: bool) -> bool:
    beyond = bound / value if least else value / bound
    return bool(1 < beyond < SAME_MONEY)


def _filtered(
    name: str, asked: Json, path: str, field: str, rows: Rows, *, strict: bool
) -> Iterator[Finding]:
    if not is_scalar(asked) or not asked or str(asked).lower() in ANYTHING:
        return
    values = [row.get(field) for row in rows]
    others = [index for index, value in enumerate(values) if not _agree(name, asked, value)]
    if others and all(map(is_scalar, values)) and (strict or len(others) < len(values)):
        [index, *_] = others
        yield Finding(
            below(at_index(path, index), field), asked, values[index], f"{name} {asked} was asked for"
        )


def _days(
    name: str, day: Json, when: frozenset[str], path: str, rows: Rows, *, first: bool
) -> Iterator[Finding]:
    """No row is of a day before or after those asked for, by any of its days."""
    if not isinstance(day, str) or not _DATE.match(day):
        return
    fields = [
        field
        for field in rows[0]
        if isinstance(field, str) and (when.intersection(words(field)) if when else bare(field) in DATES)
    ]
    for index, row in enumerate(rows):
        found = [value for field in fields if isinstance(value := row.get(field), str) and _DATE.match(value)]
        if found and all(value[:10] < day[:10] if first else value[:10] > day[:10] for value in found):
            where = below(
                at_index(path, index), next(field for field in fields if row.get(field) == found[0])
            )
            bound = f"{'from' if first else 'until'} {day[:10]}"
            yield Finding(where, bound, found[0], f"{name} {day} was asked for")
            return


def _sorted(
    asked: CallConstraints, arguments: Mapping[str, Json], path: str, rows: Rows
) -> Iterator[Finding]:
    """The rows are in the order that was asked for."""
    for name in asked.sorts:
        order = arguments[name]
        if not isinstance(order, str):
            continue
        order = order.removesuffix(" asc")
        field, down = order.lstrip("+-"), order.startswith("-")
        for other in asked.directions:
            direction = arguments[other]
            if other != name and isinstance(direction, str):
                down = direction.lower().startswith("desc")
        if order.lower().endswith((":desc", " desc", "_desc")):
            field, down = re.split(r"[: _]desc$", order, flags=re.IGNORECASE)[0], True
        values: list[Any] = [row.get(field) for row in rows]
        if len(values) < 2 or not (
            all(map(is_amount, values)) or all(isinstance(v, str) and _DATE.match(v) for v in values)
        ):
            continue
        up = all(a <= b for a, b in pairwise(values))
        falling = all(a >= b for a, b in pairwise(values))
        if not (up or falling) or (down and not falling):
            place = next(i for i, (a, b) in enumerate(pairwise(values)) if (a < b if down else a > b)) + 1
            where = below(at_index(path, place), field)
            expected = f"{'falling' if down else 'rising or falling'} {field}"
            yield Finding(where, expected, values[place], f"{name} {order} was asked for")


def _fields(
    asked: CallConstraints, arguments: Mapping[str, Json], path: str, rows: Rows
) -> Iterator[Finding]:
    """Some row has each field that was asked for, unless the rows have none of them."""
    for name in asked.fields:
        wanted = arguments[name]
        if not isinstance(wanted, list) or not all(isinstance(one, str) for one in wanted):
            continue
        there = {field for row in rows for field in row}
        missing = [one for one in wanted if one not in there]
        if missing and len(missing) < len(wanted):
            yield Finding(path, wanted, sorted(map(str, there)), f"{name} {missing[0]} was asked for")


def _absent_code(arguments: Mapping[str, Json], text: str) -> Iterator[Finding]:
    """Of two codes that were asked for alike, one stands in the text and the other nowhere."""
    codes = [
        (name, value)
        for name, value in arguments.items()
        if isinstance(value, str) and _CODE.fullmatch(value) and not value.isdigit()
    ]
    if len(codes) < 2 or len(text) < 80:
        return
    there = [(name, code) for name, code in codes if re.search(rf"\b{code}\b", text)]
    for name, code in codes:
        alike = [
            one
            for other, one in there
            if len(one) == len(code) and other != name and words(other)[-1:] == words(name)[-1:]
        ]
        if (name, code) not in there and alike:
            yield Finding("", code, f"{alike[0]} alone", f"{name} {code} was asked for, and stands nowhere")


def _unsorted_lines(arguments: Mapping[str, Json], text: str) -> Iterator[Finding]:
    """The lines that begin and end at a time of day begin in the order that was asked for."""
    for name, asked in arguments.items():
        if (
            not bare(name).startswith("sort")
            or not isinstance(asked, str)
            or not TIMES.intersection(words(asked))
        ):
            continue
        if any(value is True and "reverse" in bare(other) for other, value in arguments.items()):
            return
        starts = [match[1] for match in _SPAN.finditer(text[:MAX_TEXT])]
        for before, after in pairwise(starts):
            if after < before:
                yield Finding("", f"not before {before}", after, f"{name} {asked} was asked for")
                return


def _irrelevant(asked: CallConstraints, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
    """Of several words that were looked for, at least one stands in the answer."""
    for name in asked.questions:
        question = arguments[name]
        if not isinstance(question, str) or len(question) > MAX_QUESTION:
            continue
        sought = {word for word in _WORD.findall(question.lower()) if word not in _COMMON}
        if len(sought) < MIN_WORDS:
            continue
        # What repeats the question is no answer: a field of its name, or the line above.
        if isinstance(result, str):
            above, _, rest = result.partition("\n")
            text = rest if rest and question in above else result
        else:
            text = " ".join([one for path, one in texts_in(result) if last_word(path) != last_word(name)])
        text = text[:MAX_TEXT].lower()
        if len(text) < MIN_ANSWER or not _WORD.search(text):
            continue
        # A word counts in all its forms: `mine` and `mining` begin alike.
        stems = "|".join([re.escape(word[: max(3, len(word) - 3)]) for word in sorted(sought)])
        if not re.search(rf"\b(?:{stems})", text):
            yield Finding(
                "", f"something on {question}", text[:60], f"no word of {name} stands in the answer"
            )


def _agree(name: str, asked: Json, value: Json) -> bool:
    """Say whether a value may be the one that was asked for: it is written longer or shorter, or as a code."""
    if any(isinstance(text, str) and len(text) > MAX_IDENTITY for text in (asked, value)):
        return True
    one, other = sorted((bare(str(asked)), bare(str(value))), key=len)
    if CODED.intersection(words(name)) and len(one) <= LONGEST_CODE < len(other):
        return True
    return one == other or bool(one and one in other)
