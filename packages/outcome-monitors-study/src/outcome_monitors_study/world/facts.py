"""Whether a text tells what was asked for, in whatever words, and tells nothing wrong in its place."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from .wording import Written, WrittenText, read

Json = Any

ROUNDED = 4
"""Decimals to which a longer number may be rounded."""
DISTINCT = 3
"""Digits from which on a number is not there by chance; shorter ones need a word near them."""
ROOM, SHARE = 8, 2
"""Values that a text may hold besides those asked for: so many, and so many more for each fact asked for."""

_LESS = ("minus", "less", "lower", "cheaper", "down", "decrease", "drop", "out", "spen", "negative", "sav")
_DOUBT = (
    *("wrong", "incorrect", "inconsisten", "unexpected", "suspicious", "implausib", "impossib", "invalid"),
    *("corrupt", "discrepan", "mismatch", "conflict", "contradict", "error", "warn", "flag", "receipt"),
    *("initial", "at first", "instead of", "rather than", "unreliable", "odd", "doubt", "bogus"),
)
"""How a wrong value is spoken of by somebody who knows that it is one."""


@dataclass(frozen=True, slots=True)
class DueFact:
    """What is true, and what was shown in its place."""

    name: str
    value: Json
    near: tuple[str, ...] = ()
    """Beginnings of words; one of them stands near the value where it is a small number."""
    rivals: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class FactsReport:
    """What a text makes of the facts that were asked for."""

    missing: tuple[str, ...]
    contradicted: tuple[str, ...]
    """Facts in whose place the run was shown something else, which the text gives as if it were true."""
    crowded: bool
    """So many other values stand there that the facts are not told, but left to be found."""

    @property
    def fine(self) -> bool:
        """Say whether all is told, and nothing wrong."""
        return not (self.missing or self.contradicted or self.crowded)


def check_facts(wording: WrittenText, facts: Sequence[DueFact], request: str = "") -> FactsReport:
    """Hold a text against facts; the request's own values may be said again."""
    asked = {written.value for fact in facts for written in _values(fact.value)}
    spare = {written.value for written in wording.values if not written.in_words and written.kind != "month"}
    spare -= asked | {written.value for written in read(request).values}
    return FactsReport(
        missing=tuple(fact.name for fact in facts if not _says(wording, fact.value, fact.near)),
        contradicted=tuple(
            fact.name for fact in facts if any(_claims(wording, rival, asked) for rival in fact.rivals)
        ),
        crowded=len(spare) > ROOM + SHARE * len(facts),
    )


def _values(value: Json) -> Iterator[Written]:
    for item in value if isinstance(value, list) else [value]:
        yield from read(str(item)).values


def _says(wording: WrittenText, value: Json, near: tuple[str, ...]) -> bool:
    if isinstance(value, list):
        return all(any(True for _ in _unsigned(wording, item)) for item in value)
    by_chance = _is_number(value) and not _is_distinct(value)
    places = itertools.chain(
        _places(wording, value), (place for place in _unsigned(wording, value) if wording.near(place, _LESS))
    )
    return any(not by_chance or wording.near(place, near) for place in places)


def _claims(wording: WrittenText, rival: Json, asked: set[str | Decimal]) -> bool:
    """Say whether a wrong value is given for a true one; what is too short to tell apart is let pass."""
    if not (_is_distinct(rival) if _is_number(rival) else isinstance(rival, str) and len(rival) > DISTINCT):
        return False
    if any(written.value in asked for written in _values(rival)):
        return False
    return any(not wording.near(place, _DOUBT) for place in _places(wording, rival))


def _places(wording: WrittenText, value: Json) -> Iterator[Written]:
    """Yield where a value stands in a text."""
    if _is_number(value):
        yield from (written for written in wording.values if _equal(written, Decimal(str(value))))
        return
    same = read(str(value)).values
    if len(same) == 1 and same[0].kind != "number":
        yield from (w for w in wording.values if (w.kind, w.value) == (same[0].kind, same[0].value))
    yield from wording.texts(str(value))


def _unsigned(wording: WrittenText, value: Json) -> Iterator[Written]:
    """Yield where a value stands with its sign or without: what was spent, or is cheaper, is seldom written with one."""
    yield from _places(wording, value)
    if _is_number(value) and value < 0:
        yield from _places(wording, -value)


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _equal(written: Written, meant: Decimal) -> bool:
    number = written.value
    if not isinstance(number, Decimal):
        return False
    decimals = -int(number.as_tuple().exponent)
    return number == meant or (
        decimals >= ROUNDED and 2 * abs(number - meant) <= Decimal(1).scaleb(-decimals)
    )


def _is_distinct(value: float) -> bool:
    digits = f"{abs(value):f}".rstrip("0").replace(".", "") if value % 1 else f"{abs(value):.0f}"
    return len(digits.lstrip("0")) >= DISTINCT
