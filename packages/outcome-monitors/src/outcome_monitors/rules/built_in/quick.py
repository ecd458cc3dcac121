"""A quick look at flat objects: most clean results are one, or rows of them, and names decide what could be wrong with them.

What the names of a result and of the arguments call for is worked out once. `is_clean` may say no of a clean result, which then goes
through the rules; it never says yes of one that a rule would flag.
"""

from collections.abc import Callable, Mapping
from itertools import permutations
from typing import Any, NamedTuple

from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.jsonvalue.times import PLAIN
from outcome_monitors.jsonvalue.types import NUMBER_TYPES
from outcome_monitors.model import Json

from .base import MAX_ROWS, WRAPPERS, bare
from .claims import ENDS
from .constraints import LANGUAGES, UNITS
from .content import CONTENTS, LINKS, is_nothing
from .failure import (
    ANSWERS,
    ERRORS,
    FAILED_STATUSES,
    FAILURE_FLAGS,
    MESSAGES,
    OUTCOMES,
    STATUSES,
    SUCCESS_FLAGS,
)
from .values import NO_VALUE, bounds
from .vocabulary import QUESTIONS

MAX_PLANS = 2048
MAX_FIELDS = 64

PRINTED = frozenset({"stdout", "stderr", "exitcode"})
_SCALARS = frozenset({str, int, float, bool, type(None)})
_NAMES = tuple[str, ...]


class _Plan(NamedTuple):
    """What is to be looked at in objects with certain names."""

    quiet: tuple[tuple[str, Callable[[Json], bool]], ...]
    """Fields, each with a test that is true only of what nobody would flag."""
    ordered: tuple[tuple[str, str], ...]
    """Pairs of fields of which the first is not above the second."""
    asked: tuple[tuple[str, str], ...]
    """Arguments and the fields that must be equal to them."""
    own: tuple[str, ...]
    """Fields that no argument has the name of; an answer has something in one of them."""
    message: bool
    """There is a field that would say what is wrong, where nothing stands beside it."""


_plans: dict[tuple[_NAMES, _NAMES], _Plan | None] = {}


def is_clean(arguments: Mapping[str, Json], result: Mapping[str, Json]) -> bool:
    """Say whether a flat object surely violates no built-in rule."""
    key = (tuple(result), tuple(arguments))
    try:
        plan = _plans[key]
    except KeyError:
        plan = _planned(key)
    if plan is None:
        return False
    values = result.values()
    if not _SCALARS.issuperset(map(type, values)):
        return False
    texts = "".join([value for value in values if type(value) is str])
    if not (texts.isascii() and texts.isprintable()) or "<" in texts or NO_VALUE.search(texts):
        return False
    for field, test in plan.quiet:
        if not test(result[field]):
            return False
    for first, last in plan.ordered:
        low, high = result[first], result[last]
        if low is not None and high is not None and not _in_order(low, high):
            return False
    if plan.message and sum(map(bool, values)) < 2:
        return False
    if plan.own:
        given = arguments.values()
        if not any(_says_something(result[field]) and result[field] not in given for field in plan.own):
            return False
    return all(arguments[name] == result[field] for name, field in plan.asked)


def rows_are_clean(result: Json) -> bool:
    """Say whether what is nested in a result is flat objects, and lists of those, that surely violate nothing by themselves."""
    nested = [result] if type(result) is list else result.values() if type(result) is dict else ()
    looked = False
    for value in nested:
        if type(value) is list:
            looked = True
            if len(value) > MAX_ROWS or not all(map(_is_clean_row, value)):
                return False
        elif type(value) is dict:
            looked = True
            if not is_clean(_NO_ARGUMENTS, value):
                return False
    return looked


def _is_clean_row(row: Json) -> bool:
    # Texts of a list may be the pieces of one.
    return (
        is_clean(_NO_ARGUMENTS, row) if type(row) is dict else type(row) in _SCALARS and type(row) is not str
    )


_NO_ARGUMENTS: Mapping[str, Json] = {}


def _planned(key: tuple[_NAMES, _NAMES]) -> _Plan | None:
    if len(_plans) >= MAX_PLANS:
        _plans.clear()
    _plans[key] = plan = _plan(*key)
    return plan


def _plan(fields: _NAMES, arguments: _NAMES) -> _Plan | None:
    """Return what objects with these names call for; None where only the rules can say."""
    if not fields or len(fields) > MAX_FIELDS or not all(type(name) is str for name in (*fields, *arguments)):
        return None
    bares = {name: bare(name) for name in fields}
    known = set(bares.values())
    rules_alone = (
        len(fields) == 1
        or not known.isdisjoint(CONTENTS | ANSWERS | PRINTED | {"metadata"})
        or ("subtotal" in known and not known.isdisjoint({"total", "grandtotal"}))
        or any(name in WRAPPERS for name in fields)
        or any((QUESTIONS | UNITS).intersection(words(name)) for name in arguments)
        or any(last_word(name) in LANGUAGES for name in arguments)
    )
    if rules_alone:
        return None
    quiet: list[tuple[str, Callable[[Json], bool]]] = []
    for name in fields:
        low = name.lower()
        if low in SUCCESS_FLAGS:
            quiet.append((name, _is_true))
        elif low in FAILURE_FLAGS or low in ERRORS:
            quiet.append((name, _is_nothing))
        elif low in STATUSES or low in OUTCOMES:
            quiet.append((name, _is_fine))
        if bares[name] in LINKS:
            quiet.append((name, bool))
        bound = bounds(name)
        if bound is not None:
            quiet.append((name, _within(*bound)))
    pairs = [
        (one, other)
        for one, other in permutations(fields, 2)
        for first, last in ENDS
        if first in bares[one] and bares[one].replace(first, last, 1) == bares[other]
    ]
    asked = [(name, field) for name in arguments for field in fields if bares[field] == bare(name)]
    message = any(name.lower() in MESSAGES for name in fields)
    own = tuple([name for name in fields if bares[name] not in set(map(bare, arguments))])
    return _Plan(tuple(quiet), tuple(pairs), tuple(asked), own, message)


def _in_order(low: Any, high: Any) -> bool:
    """Say whether a value is surely not above another: a number, or a time that is written in the same way."""
    if type(low) is not type(high):
        return False
    alike = type(low) is not str or (low[10::9] == high[10::9] and low[10::9] in PLAIN)
    return alike and bool(low <= high)


def _says_something(value: Json) -> bool:
    return not is_nothing(value) if type(value) is str else bool(value)


def _is_true(value: Json) -> bool:
    return value is True


def _is_nothing(value: Json) -> bool:
    return value is None or value is False or value == ""


def _is_fine(value: Json) -> bool:
    if type(value) is str:
        return value.strip().lower() not in FAILED_STATUSES and not value.isdecimal()
    return value is None or type(value) is bool


def _within(low: float, high: float) -> Callable[[Any], bool]:
    def within(value: Any) -> bool:
        return type(value) not in NUMBER_TYPES or low <= value <= high

    return within
