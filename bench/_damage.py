"""One field of a result made wrong, in the ways in which servers get fields wrong: drawn from a seed, the rest untouched."""

import random
import re
import string
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from datetime import timedelta
from typing import Any, NamedTuple

from outcome_monitors import Call
from outcome_monitors.features.feature import Sort
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.jsonvalue.paths import Each, Step, render
from outcome_monitors.jsonvalue.times import when

__all__ = ["DAMAGES", "Damaged", "Known", "damages"]

MOST_ROWS = 3
"""Rows of a list whose fields are damaged: they are alike."""
MOST_KINDS = 20
"""Distinct texts up to which a field is one of categories."""
LEAST_TEXT = 12
"""Characters of a text that can be cut."""
FACTORS = (10, 100, 0.001)
DAYS = (-4000, -400, 400, 4000)
_DATE = re.compile(r"\d{4}-\d\d-\d\d")

Steps = tuple[Step, ...]


class Damaged(NamedTuple):
    """A result with one field that is wrong, or two that changed places."""

    kind: str
    fields: tuple[Steps, ...]
    result: Any


class Known:
    """The texts that clean results have at each path of each tool."""

    def __init__(self, calls: Iterable[Call]) -> None:
        self._texts: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        for call in calls:
            for steps, value in leaves(call.result):
                if isinstance(value, str):
                    self._texts[call.tool, generic(steps)].add(value)

    def others(self, tool: str, steps: Steps, value: str) -> list[str]:
        """Return the other texts of a place, in order."""
        return sorted(self._texts[tool, generic(steps)] - {value})


def generic(steps: Steps) -> str:
    """Return the path of a place with all rows of a list as one."""
    return render([Each.ITEM if isinstance(step, int) else step for step in steps])


def leaves(value: Any, steps: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield each field that is no container, of the first rows of each list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*steps, key))
    elif isinstance(value, list):
        for index, item in enumerate(value[:MOST_ROWS]):
            yield from leaves(item, (*steps, index))
    elif steps and isinstance(steps[-1], str):
        yield steps, value


def damages(call: Call, known: Known, draw: random.Random, most: int) -> Iterator[Damaged]:
    """Yield a result damaged in up to so many ways, each in one place."""
    fields = list(leaves(call.result))
    ways = [(kind, steps, value) for steps, value in fields for kind in DAMAGES]
    # Kinds in turn, so that those which few fields can have are not drowned.
    draw.shuffle(ways)
    by_kind: defaultdict[str, list[tuple[Steps, Any]]] = defaultdict(list)
    for kind, steps, value in ways:
        by_kind[kind].append((steps, value))
    kinds = list(by_kind)
    draw.shuffle(kinds)
    made = (_damaged(kind, by_kind[kind], call, known, draw) for kind in kinds)
    yield from [one for one in made if one is not None][:most]


def _damaged(
    kind: str, places: Collection[tuple[Steps, Any]], call: Call, known: Known, draw: random.Random
) -> Damaged | None:
    """Return the first place where a kind of damage can be done, damaged."""
    for steps, value in places:
        if kind == "swap":
            found = _swapped(call.result, steps, value, draw)
        elif kind == "drop":
            found = _replaced(kind, call.result, steps, _GONE)
        else:
            new = DAMAGES[kind](value, steps, known.others(call.tool, steps, str(value)), draw)
            found = None if new is None or new == value else _replaced(kind, call.result, steps, new)
        if found is not None:
            return found
    return None


_GONE = object()


def _replaced(kind: str, result: Any, steps: Steps, new: Any) -> Damaged:
    damaged = deepcopy(result)
    holder = _holder(damaged, steps)
    if new is _GONE:
        del holder[steps[-1]]
    else:
        holder[steps[-1]] = new
    return Damaged(kind, (steps,), damaged)


def _swapped(result: Any, steps: Steps, value: Any, draw: random.Random) -> Damaged | None:
    """Let a field change places with another of the same object and type."""
    beside = _holder(result, steps)
    others = [
        key
        for key, other in beside.items()
        if key != steps[-1] and type(other) is type(value) and other != value and not _is_container(other)
    ]
    if not others or isinstance(value, bool) or value is None:
        return None
    other, damaged = draw.choice(others), deepcopy(result)
    holder = _holder(damaged, steps)
    holder[steps[-1]], holder[other] = holder[other], holder[steps[-1]]
    return Damaged("swap", (steps, (*steps[:-1], other)), damaged)


def _holder(result: Any, steps: Steps) -> Any:
    for step in steps[:-1]:
        result = result[step]
    return result


def _is_container(value: Any) -> bool:
    return isinstance(value, (dict, list))


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _negated(value: Any, _steps: Steps, _others: list[str], _draw: random.Random) -> Any:
    return -value if _is_number(value) and value else None


def _scaled(value: Any, _steps: Steps, _others: list[str], draw: random.Random) -> Any:
    return value * draw.choice(FACTORS) if _is_number(value) and value else None


def _shifted(value: Any, _steps: Steps, _others: list[str], draw: random.Random) -> Any:
    """Move the date at the front of a text by days, written as it was."""
    time = when(value) if isinstance(value, str) and _DATE.match(value) else None
    if time is None:
        return None
    return (time + timedelta(days=draw.choice(DAYS))).date().isoformat() + value[10:]


def _other_id(value: Any, steps: Steps, others: list[str], draw: random.Random) -> Any:
    """Take another id of the same form: one that is known, or one that nobody knows."""
    if not isinstance(value, str) or not names_a_thing(Sort.FIELD.of(generic(steps))) or not value:
        return None
    if others and draw.random() < 0.5:
        return draw.choice(others)
    return "".join(_like(sign, draw) for sign in value)


def _like(sign: str, draw: random.Random) -> str:
    for signs in (string.digits, string.ascii_lowercase, string.ascii_uppercase):
        if sign in signs:
            return draw.choice(signs)
    return sign


def _other_kind(value: Any, steps: Steps, others: list[str], draw: random.Random) -> Any:
    """Take another known value of a category."""
    few = isinstance(value, str) and 0 < len(others) < MOST_KINDS
    return draw.choice(others) if few and not names_a_thing(Sort.FIELD.of(generic(steps))) else None


def _flipped(value: Any, _steps: Steps, _others: list[str], _draw: random.Random) -> Any:
    return not value if isinstance(value, bool) else None


def _cut(value: Any, _steps: Steps, _others: list[str], draw: random.Random) -> Any:
    long = isinstance(value, str) and len(value) >= LEAST_TEXT
    return value[: draw.randrange(1, len(value) // 2)] if long else None


_Way = Callable[[Any, Steps, list[str], random.Random], Any]
DAMAGES: Mapping[str, _Way] = {
    "negate": _negated,
    "scale": _scaled,
    "date": _shifted,
    "id": _other_id,
    "category": _other_kind,
    "flip": _flipped,
    "cut": _cut,
    "swap": _negated,
    "drop": _negated,
}
"""Each kind of damage, and what it makes of a value; the last two are done to the object that holds it."""
