"""What a call asks for, by the names of its arguments: how much, which thing, which rows, in which order."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.text import last_word, words

from .base import bare
from .vocabulary import LIMITS, PARTS, QUESTIONS, named

IDENTITIES = named(
    "id key symbol ticker code sku isbn uuid slug hash currency station email username login issue order ticket"
)
"""Last words of arguments that say which thing was asked for."""
STRICT = named("status state language lang severity priority city country currency side year month")
"""Last words of arguments with whose value no row may disagree. With any other, rows disagree where other rows have the very value."""
NO_FILTERS = (
    LIMITS
    | PARTS
    | QUESTIONS
    | named(
        "id ids name title path url from to text content message description command code format fields sort order"
    )
)
"""Arguments that rows may have a field of the same name as, for another reason."""
STARTS = named("start from since after begin min gte earliest")
ENDS = named("end to until before max lte latest")
TIMES = named("date time day datetime timestamp at on range")
BOUNDS = named("min minimum least max maximum most")
LEAST = named("min minimum least")
RADII = named("radius maxdistance radiusm radiuskm radiusmeters searchradius radiusinmeters")
SORTS = named("sort sortby orderby order sortfield sortkey")
DIRECTIONS = named("order sortorder direction sortdirection dir sortdir orderdirection")
FIELDS = named("fields columns select attributes properties")
ECHOES = named(
    "unit units language lang currency basecurrency targetcurrency from to year month days hours radius latitude longitude lat lon lng amount"
)
"""Names of arguments that an answer repeats as it understood them."""
LANGUAGES = named("language lang locale")
UNITS = named("unit units")
MAX_NAMES, MAX_LENGTH = 64, 64
MAX_QUERY = 2000
"""Characters of a query that is read."""
_TERM = re.compile(r"""\b(\w+)\s*=\s*(?:'([^']*)'|"([^"]*)"|([\w.@-]+))""")
_ORDER = re.compile(r"\border\s+by\s+(\w+)(\s+desc\b)?", re.IGNORECASE)
_LIMIT = re.compile(r"\blimit\s+(\d{1,6})\s*;?\s*$", re.IGNORECASE)
_INVOLVED = re.compile(r"\b(?:or|not|union|join|group\s+by|with|having|offset)\b|[!<>]=|[()~]", re.IGNORECASE)
"""What makes a query mean more than its parts."""


class CallConstraints(NamedTuple):
    """The arguments of a call by what they ask for; of a pair, the second is the field that it is about."""

    limits: tuple[str, ...]
    radii: tuple[str, ...]
    things: tuple[tuple[str, str], ...]
    filters: tuple[tuple[str, str, bool], ...]
    """With whether no row may disagree."""
    languages: tuple[str, ...]
    units: tuple[str, ...]
    days: tuple[tuple[str, frozenset[str], bool], ...]
    """With the words that say which day is meant, and whether it is the first one."""
    bounds: tuple[tuple[str, str, bool], ...]
    """With whether it is the least."""
    sorts: tuple[str, ...]
    directions: tuple[str, ...]
    fields: tuple[str, ...]
    questions: tuple[str, ...]
    echoes: tuple[tuple[str, str], ...]

    @property
    def of_rows(self) -> bool:
        """Whether anything is asked of rows that texts have as well."""
        return bool(self.filters or self.days or self.bounds)


def with_queries(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments with what a query among them asks for: `status = open ORDER BY age DESC LIMIT 3`."""
    found: dict[str, Any] = {}
    for query in arguments.values():
        if type(query) is not str or len(query) > MAX_QUERY or " " not in query or _INVOLVED.search(query):
            continue
        found.update((name, one or two or three) for name, one, two, three in _TERM.findall(query))
        if order := _ORDER.search(query):
            found["sort"] = f"{order[1]} {'desc' if order[2] else 'asc'}"
        if limit := _LIMIT.search(query):
            found["limit"] = int(limit[1])
    return {**found, **arguments} if found else arguments


def constraints_of(arguments: Mapping[str, object]) -> CallConstraints:
    """Return what the arguments ask for, by their names."""
    return _by_names(
        tuple([name for name in arguments if type(name) is str and len(name) <= MAX_LENGTH][:MAX_NAMES])
    )


@lru_cache(maxsize=2048)
def _by_names(arguments: tuple[str, ...]) -> CallConstraints:
    short = {name: bare(name) for name in arguments}

    def among(known: frozenset[str]) -> tuple[str, ...]:
        return tuple(name for name in arguments if short[name] in known)

    return CallConstraints(
        among(LIMITS),
        among(RADII),
        tuple((name, short[name]) for name in arguments if last_word(name) in IDENTITIES),
        tuple(found for name in arguments for found in _filter(name)),
        tuple(name for name in arguments if last_word(name) in LANGUAGES and "source" not in name.lower()),
        tuple(name for name in arguments if UNITS.intersection(words(name))),
        tuple(found for name in arguments for found in _day(name)),
        tuple(found for name in arguments for found in _bound(name)),
        among(SORTS),
        among(DIRECTIONS),
        among(FIELDS),
        tuple(name for name in arguments if QUESTIONS.intersection(words(name))),
        tuple((name, short[name]) for name in arguments if short[name] in ECHOES),
    )


def _filter(name: str) -> list[tuple[str, str, bool]]:
    """Read `status`, `filter_by_status` and `statusFilter` as of the field `status`."""
    parts = [word for word in words(name) if word not in {"filter", "by", "eq"}]
    if not parts or "".join(parts) in NO_FILTERS:
        return []
    return [(name, "".join(parts), parts[-1] in STRICT)]


def _day(name: str) -> list[tuple[str, frozenset[str], bool]]:
    """Read `start_date`, `dateFrom` and `published_after` as bounds of days; the last one of when something was published."""
    parts = words(name)
    if len(parts) == 1:
        # `startdate`, `datefrom`
        parts = next(
            (
                (part,)
                for time in TIMES
                if (part := parts[0].removeprefix(time).removesuffix(time)) in STARTS | ENDS
            ),
            parts,
        )
    for first, known in ((True, STARTS), (False, ENDS)):
        if known.intersection(parts[:1] + parts[-1:]):
            return [(name, frozenset(parts) - known - TIMES, first)]
    return []


def _bound(name: str) -> list[tuple[str, str, bool]]:
    """Read `min_price` and `priceMax` as bounds of the field `price`."""
    parts = words(name)
    for place in (0, -1):
        if len(parts) > 1 and parts[place] in BOUNDS:
            field = "".join(parts[1:] if place == 0 else parts[:-1])
            return [(name, field, parts[place] in LEAST)]
    return []
