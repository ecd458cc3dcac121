"""What a call asks for, by the names of its arguments: how much, which thing, which rows, in which order."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from outcome_monitors.jsonvalue.text import last_word, words

from .base import bare
from .vocabulary import LIMITS, QUESTIONS, named

__all__ = ["ECHOES", "IDENTITIES", "CallConstraints", "constraints_of"]

IDENTITIES = named("id key symbol ticker code sku isbn uuid slug hash currency station")
"""Last words of arguments that say which thing was asked for."""
STRICT = named("status state language lang severity priority city country currency side year month")
"""Last words of arguments with whose value no row may disagree."""
LOOSE = named("type category kind genre region level department brand")
"""Those that may name what rows are part of: rows disagree where other rows have the very value."""
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
MAX_NAMES, MAX_LENGTH = 64, 64


class CallConstraints(NamedTuple):
    """The arguments of a call by what they ask for; of a pair, the second is the field that it is about."""

    limits: tuple[str, ...]
    radii: tuple[str, ...]
    things: tuple[tuple[str, str], ...]
    filters: tuple[tuple[str, str, bool], ...]
    """With whether no row may disagree."""
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
    if not parts or parts[-1] not in STRICT | LOOSE:
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
