"""How far the counts and clocks of a session have run: the latest update of an order, the number of the last message.

Those of one tool and one record: another order has another time, and another tool another count of the same name. Held apart from what was said of things (`statements`): a write makes that void, but moves these on, and never back. Bounded: the
identities not heard of for longest are forgotten first.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.features.feature import Feature, Features, Sort
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.features.limits import SESSION_IDENTITIES
from outcome_monitors.features.tool_names import may_write
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.jsonvalue.times import comparable, when
from outcome_monitors.jsonvalue.types import finite

from .statements import identities

__all__ = ["ONWARD", "THE_TOOL", "Count", "CounterStep", "HighWaterMarks", "counted_in"]

ONWARD = "on "
"""Begins the key of a step."""
THE_TOOL = "?"
"""Stands, as what a step is known by, for all that the tool made."""


class CounterStep(NamedTuple):
    """A number or time that is another than the highest so far, and whether it went on."""

    path: str
    key: str
    field: Feature
    held: bool
    before: Any
    now: Any


class Count(NamedTuple):
    """How far a count or clock of a record is, under one of the names that the record is known by."""

    key: str
    """What names the record, or `THE_TOOL`: what a tool that may write has made is one of a series, if the caller did not name it."""
    record: "_Record"
    field: Feature
    now: Any


def counted_in(
    tool: str, arguments: Mapping[str, Any], records: Iterable[tuple[str, Features]]
) -> list[Count]:
    """Return what counts in the records of an answer.

    Two answers are of one record where all names in them are the same: orders of one user are different records.
    """
    found = []
    for path, features in records:
        moving = _moving(features, arguments)
        known = identities(tool, features) if moving else []
        names = tuple([(key, value) for key, (_, value) in known if key.sort is not Sort.ARGUMENTS])
        named = [_Record(tool, path, key, value, names) for key, (_, value) in known]
        if moving and path == ROOT and not _named_by(arguments, names):
            named.append(_Record(tool, path, THE_TOOL, None, ()))
        found += [
            Count(record.key, record.apart_from(field), field, now)
            for record in named
            for field, now in moving
        ]
    return found


class HighWaterMarks:
    """The highest number or time that was said in each field of each record; `writes` says of a tool whether calling it may change something."""

    def __init__(self, writes: Callable[[str], bool] = may_write) -> None:
        self._writes = writes
        self._reached: OrderedDict[_Record, dict[Feature, Any]] = OrderedDict()

    def recall(self, tool: str, counted: Iterable[Count]) -> Iterator[CounterStep]:
        """Yield all that has moved."""
        for key, record, field, now in self._of_interest(tool, counted):
            before = self._reached.get(record, _NOTHING).get(field)
            # Most stay as they are, and need not be read.
            if before is None or before == now or not _counts(key, field, now):
                continue
            held = _above(now, before)
            if held is not None:
                yield CounterStep(record.path, ONWARD + key, field, held, before, now)

    def remember(self, tool: str, counted: Iterable[Count]) -> None:
        """Keep what is highest."""
        for _, record, field, now in self._of_interest(tool, counted):
            reached = self._reached.setdefault(record, {})
            before = reached.get(field)
            if before is None or (before != now and _above(now, before) is not False):
                reached[field] = now
            self._reached.move_to_end(record)
        while len(self._reached) > SESSION_IDENTITIES:
            self._reached.popitem(last=False)

    def _of_interest(self, tool: str, counted: Iterable[Count]) -> list[Count]:
        return [one for one in counted if one.key != THE_TOOL or self._writes(tool)]


_NOTHING: Mapping[Feature, Any] = {}


class _Record(NamedTuple):
    """What makes a record the same as an earlier one: the tool, where it stood, and all that names it."""

    tool: str
    path: str
    key: str
    value: Any
    names: tuple[tuple[Feature, Any], ...]

    def apart_from(self, field: Feature) -> "_Record":
        """Return the record by all names but a field: the number of the last message counts, and names nothing."""
        for name, _ in self.names:
            if name == field:
                return self._replace(names=tuple([pair for pair in self.names if pair[0] != field]))
        # Mostly: no other is made.
        return self


def _named_by(arguments: Mapping[str, Any], names: tuple[tuple[Feature, Any], ...]) -> bool:
    asked = [*arguments.values()]
    return any(value in asked for _, value in names)


def _counts(key: str, field: Feature, now: Any) -> bool:
    """Say whether a field can count: from one question to another only times and ids, for other numbers depend on what was asked."""
    return key != THE_TOOL or isinstance(now, str) or names_a_thing(field)


def _moving(features: Features, arguments: Mapping[str, Any]) -> list[tuple[Feature, Any]]:
    """Return the numbers and times of a record, but for those that the caller named: it may go from page 3 to page 2."""
    found = [
        (name, value)
        for name, code, value in zip(features.names, features.codes, features.values, strict=True)
        if name.sort is Sort.FIELD and ((code == "n" and finite(value)) or (code == "s" and _time(value)))
    ]
    named = arguments.values()
    return [pair for pair in found if pair[1] not in named]


@lru_cache(maxsize=8192)
def _time(text: str) -> Any:
    return when(text)


def _above(now: Any, before: Any) -> bool | None:
    """Say whether one number or time is above another; None where they are not of one sort."""
    if isinstance(now, str) != isinstance(before, str):
        return None
    if not isinstance(now, str):
        return bool(now > before)
    later, earlier = _time(now), _time(before)
    if not comparable(later, earlier) or later == earlier:
        return None
    return bool(later > earlier)
