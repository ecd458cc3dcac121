"""`request_honored`: what was asked for holds for what comes back."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Mining, Traits

from .base import BuiltIn, Finding, bare, is_amount, is_scalar, lists_in, record_in, rows_in, texts_in

__all__ = ["RequestHonored"]

LIMITS = frozenset(
    {
        "limit",
        "maxresults",
        "maxitems",
        "topk",
        "perpage",
        "pagesize",
        "hitsperpage",
        "numresults",
        "maxcount",
        "maxrecords",
        "limitednum",
        "first",
    }
)
RADII = frozenset(
    {"radius", "maxdistance", "radiusm", "radiuskm", "radiusmeters", "searchradius", "radiusinmeters"}
)
DISTANCES = frozenset({"distance", "dist", "distancem", "distancekm", "distancemeters", "distanceinmeters"})
SAME_UNIT = 1.5
"""A distance farther beyond the radius may be in another unit."""
IDENTITIES = frozenset(
    {"id", "key", "symbol", "ticker", "code", "sku", "isbn", "uuid", "slug", "hash", "currency", "station"}
)
"""Last words of names of arguments that say which thing was asked for."""
FILTERS = frozenset(
    {
        "status",
        "state",
        "type",
        "category",
        "country",
        "currency",
        "language",
        "lang",
        "severity",
        "priority",
        "level",
        "kind",
        "genre",
        "city",
        "region",
        "side",
    }
)
"""Last words of names of arguments that all rows must agree with."""
STARTS = frozenset(
    {
        "start",
        "from",
        "since",
        "after",
        "begin",
        "startdate",
        "fromdate",
        "datefrom",
        "starttime",
        "mindate",
        "createdafter",
        "updatedafter",
        "startday",
    }
)
ENDS = frozenset(
    {
        "end",
        "to",
        "until",
        "before",
        "enddate",
        "todate",
        "dateto",
        "endtime",
        "maxdate",
        "createdbefore",
        "updatedbefore",
        "endday",
    }
)
DATES = frozenset(
    {
        "date",
        "datetime",
        "time",
        "timestamp",
        "day",
        "createdat",
        "created",
        "published",
        "publishedat",
        "updatedat",
    }
)
SORTS = frozenset({"sort", "sortby", "orderby", "order", "sortfield", "sortkey"})
DIRECTIONS = frozenset(
    {"order", "sortorder", "direction", "sortdirection", "dir", "sortdir", "orderdirection"}
)
FIELDS = frozenset({"fields", "columns", "select", "attributes", "properties"})

QUESTIONS = frozenset({"query", "q", "search", "keywords", "question", "topic", "focus", "section"})
"""Words of names of arguments that say what the answer should be about."""
TIMES = frozenset({"time", "start", "departure", "depart", "begin"})
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
_COMMON = frozenset(
    "the and for with from about are was were what how who which when where why new best top all any this that its their your our can does has have not than then into over under between".split()  # noqa: SIM905 - words read better as words
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_CODE = re.compile(r"[A-Z0-9]{2,6}")


class RequestHonored(BuiltIn):
    """The result has what the call asked for: the thing, the filters, the range, the number, the order, the fields."""

    name = "request_honored"
    code = "request_ignored"
    cause = Cause.ANOTHER_QUESTION
    traits = Traits(about="shape", never_normal=True, severity=Severity.HIGH)
    mining = Mining(profiles=frozenset())
    sentence = "the result is of what the call asked for"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Hold each argument against the answer by its name and value."""
        if not arguments:
            return
        yield from _irrelevant(arguments, result)
        if isinstance(result, str):
            yield from _unsorted_lines(arguments, result)
            yield from _absent_code(arguments, result)
            return
        if not isinstance(result, (dict, list)):
            return
        yield from _entity(arguments, result)
        yield from _limit(arguments, result)
        path, rows = rows_in(result)
        if rows:
            yield from _radius(arguments, path, rows)
            yield from _filters(arguments, result, path, rows)
            yield from _range(arguments, path, rows)
            yield from _sorted(arguments, path, rows)
            yield from _fields(arguments, path, rows)


def _entity(arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
    """The record is of the thing that was asked for."""
    path, record = record_in(result)
    names = {bare(name): name for name in record if isinstance(name, str)}
    for name, asked in arguments.items():
        field = names.get(bare(name))
        if field is None or not isinstance(asked, str) or last_word(name) not in IDENTITIES:
            continue
        value = record[field]
        if is_scalar(value) and not _agree(asked, value):
            yield Finding(below(path, field), asked, value, f"{name} {asked} was asked for")


def _limit(arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
    for name, most in arguments.items():
        if bare(name) in LIMITS and type(most) is int and most > 0:
            for path, rows in lists_in(result).items():
                if len(rows) > most and all(isinstance(row, dict) for row in rows[:3]):
                    yield Finding(path, f"at most {most} items", len(rows), f"{name} {most} was asked for")


def _radius(arguments: Mapping[str, Json], path: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    for name, radius in arguments.items():
        if bare(name) not in RADII or not is_amount(radius) or radius <= 0:
            continue
        for index, row in enumerate(rows):
            for field, distance in row.items():
                if (
                    isinstance(field, str)
                    and bare(field) in DISTANCES
                    and is_amount(distance)
                    and radius < distance <= SAME_UNIT * radius
                ):
                    yield Finding(
                        below(at_index(path, index), field),
                        f"at most {radius}",
                        distance,
                        f"{name} {radius} was asked for",
                    )


def _filters(
    arguments: Mapping[str, Json], result: Json, path: str, rows: Sequence[Mapping[str, Any]]
) -> Iterator[Finding]:
    """Each row has the value that was asked for; of a record, its rows are another matter."""
    own = result if isinstance(result, dict) else {}
    for name, asked in arguments.items():
        if not isinstance(asked, str) or not asked or name in own or last_word(name) not in FILTERS:
            continue
        if asked.lower() in {"all", "any", "*", "none", ""} or not all(
            is_scalar(row.get(name)) for row in rows
        ):
            continue
        for index, row in enumerate(rows):
            if not _agree(asked, row[name]):
                yield Finding(
                    below(at_index(path, index), name), asked, row[name], f"{name} {asked} was asked for"
                )
                break


def _range(arguments: Mapping[str, Json], path: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """No row is of a day before or after those asked for."""
    asked = [
        (name, value[:10])
        for name, value in arguments.items()
        if isinstance(value, str) and _DATE.match(value)
    ]
    if not asked:
        return
    fields = [field for field in rows[0] if isinstance(field, str) and bare(field) in DATES]
    for field in fields[:1]:
        for index, row in enumerate(rows):
            value = row.get(field)
            if not isinstance(value, str) or not _DATE.match(value):
                continue
            for name, day in asked:
                early, late = (
                    bare(name) in STARTS and value[:10] < day,
                    bare(name) in ENDS and value[:10] > day,
                )
                if early or late:
                    bound = "from" if early else "until"
                    yield Finding(
                        below(at_index(path, index), field),
                        f"{bound} {day}",
                        value,
                        f"{name} {day} was asked for",
                    )
                    return


def _sorted(arguments: Mapping[str, Json], path: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """The rows are in the order that was asked for."""
    for name, asked in arguments.items():
        if bare(name) not in SORTS or not isinstance(asked, str):
            continue
        field, down = asked.lstrip("+-"), asked.startswith("-")
        for other, direction in arguments.items():
            if bare(other) in DIRECTIONS and other != name and isinstance(direction, str):
                down = direction.lower().startswith("desc")
        if asked.lower().endswith((":desc", " desc", "_desc")):
            field, down = re.split(r"[: _]desc$", asked, flags=re.IGNORECASE)[0], True
        values: list[Any] = [row.get(field) for row in rows]
        if len(values) < 2 or not (
            all(map(is_amount, values)) or all(isinstance(v, str) and _DATE.match(v) for v in values)
        ):
            continue
        up = all(a <= b for a, b in pairwise(values))
        falling = all(a >= b for a, b in pairwise(values))
        if not (up or falling) or (down and not falling):
            where = next(i for i, (a, b) in enumerate(pairwise(values)) if (a < b if down else a > b))
            order = "falling" if down else "rising or falling"
            yield Finding(
                below(at_index(path, where + 1), field),
                f"{order} {field}",
                values[where + 1],
                f"{name} {asked} was asked for",
            )


def _fields(arguments: Mapping[str, Json], path: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """Some row has each field that was asked for, unless the rows have none of them."""
    for name, asked in arguments.items():
        if (
            bare(name) not in FIELDS
            or not isinstance(asked, list)
            or not all(isinstance(one, str) for one in asked)
        ):
            continue
        there = {field for row in rows for field in row}
        missing = [one for one in asked if one not in there]
        if missing and len(missing) < len(asked):
            yield Finding(path, asked, sorted(map(str, there)), f"{name} {missing[0]} was asked for")


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


def _irrelevant(arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
    """Of several words that were looked for, at least one stands in the answer."""
    for name, asked in arguments.items():
        if not isinstance(asked, str) or len(asked) > MAX_QUESTION or not QUESTIONS.intersection(words(name)):
            continue
        sought = {word for word in _WORD.findall(asked.lower()) if word not in _COMMON}
        if len(sought) < MIN_WORDS:
            continue
        text = result if isinstance(result, str) else " ".join([text for _, text in texts_in(result)])
        text = text.replace(asked, "")[:MAX_TEXT].lower()
        if len(text) < MIN_ANSWER or not _WORD.search(text):
            continue
        # A word counts in all its forms: `mine` and `mining` begin alike.
        stems = "|".join([re.escape(word[: max(3, len(word) - 3)]) for word in sorted(sought)])
        if not re.search(rf"\b(?:{stems})", text):
            yield Finding("", f"something on {asked}", text[:60], f"no word of {name} stands in the answer")


def _agree(asked: Json, value: Json) -> bool:
    """Say whether a value is the one that was asked for, or is written longer or shorter."""
    if any(isinstance(text, str) and len(text) > MAX_IDENTITY for text in (asked, value)):
        return True
    one, other = bare(str(asked)), bare(str(value))
    return one == other or bool(one and other and (one in other or other in one))
