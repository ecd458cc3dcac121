"""`before`: one number or time is never above another: a start and an end, a minimum and a price, a limit and a count.

Any two features of a record may be so related, arguments among them (a window that was honoured). It must be no accident: had the
pairs been shuffled, several would have been out of order.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache, partial
from itertools import permutations
from typing import Any

from outcome_monitors.features.feature import Feature, Sort
from outcome_monitors.features.field_names import is_moment
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.text import last_word, words
from outcome_monitors.jsonvalue.times import PLAIN, comparable, when
from outcome_monitors.jsonvalue.types import NUMBER_TYPES, is_number
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import tasks_behind
from outcome_monitors.rules.evidence.table import Column, Table

from .base.kind import Candidate
from .base.record import Fault, Get, RecordKind, column_of, described, is_feature, rows_of, tables_of
from .base.traits import Cause, Mining, Traits
from .config import CONFIG

COMPARED = frozenset({Sort.FIELD, Sort.NUMBER, Sort.SUM})
"""Sorts of the answer that are numbers or times."""


_Pairs = list[tuple[Any, ...]]
"""Two values of a record, and the witness."""


class Before(RecordKind):
    """The first is not above the second."""

    name = "before"
    code = "order_broken"
    cause = Cause.TIMES_DISAGREE
    traits = Traits(about="record")
    mining = Mining(budget_weight=2.0, pools=True)
    identity = ("first", "second")
    sentence = "{first} is not above {second}"
    wrong = "{first} is above {second}"
    params = {"first": is_feature, "second": is_feature}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each pair that is in order in nearly all records, where chance would have broken it."""
        for path, table in tables_of(evidence):
            for sort in SORTS:
                columns = _columns(table, sort)
                for first, second in permutations(columns, 2):
                    one, other = columns[first], columns[second]
                    both = one.having & other.having
                    if (
                        first.sort.of_call and second.sort.of_call
                    ) or both.bit_count() < CONFIG.before_pairs_by_name:
                        continue
                    ordered = partial(_in_order_at, one.values, other.values)
                    if table.odd(both, ordered, CONFIG.label_noise) is None:
                        continue
                    pairs = rows_of(table, one, other)
                    by_name = _by_name(first, second)
                    if not by_name and _apart(first, second) and not _many_tasks(pairs):
                        continue
                    if _by_rule(pairs, of_one_noun=_noun(first) == _noun(second), by_name=by_name):
                        params = {"first": str(first), "second": str(second)}
                        odd = [w for a, b, w in pairs if not _in_order(a, b)]
                        behind, entities = [w for *_, w in pairs], len({(a, b) for a, b, _ in pairs})
                        yield self.candidate(
                            path,
                            params,
                            behind,
                            odd,
                            evidence.tasks(path),
                            entities,
                            trusted=True if by_name and not odd else None,
                        )

    def at_fault(self, params: Mapping[str, Json]) -> str:
        """Name the second, unless it is the caller's."""
        first, second = self.features(params)
        return first if Feature.parse(second).sort.of_call else second

    def agreement(self, clause: Clause, get: Get) -> str:
        first, second = self.features(clause.params)
        return f"{described(first)} not above {described(second)}"

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        at_fault, expected = (
            self.at_fault(params),
            f"{described(params['first'])} not above {described(params['second'])}",
        )

        def broken(low: Any, high: Any) -> Fault | None:
            # Times of one layout are compared as texts (see `when`).
            plain = type(low) is str is type(high) and low <= high and low[10::9] in PLAIN
            if (plain and low[10::9] == high[10::9]) or _holds(low, high):
                return None
            return at_fault, expected, f"{clip(low)} and {clip(high)}"

        return broken


def _number(value: Any) -> Any:
    return value if is_number(value) else None


def _time(value: Any) -> Any:
    return _time_in(value) if type(value) is str else None


# Mining reads the same text in the evidence of a tool, of its family, and of every part that is not left out.
@lru_cache(maxsize=65536)
def _time_in(text: str) -> Any:
    moment = when(text)
    if moment is not None:
        return moment
    # A time of day, as clocks write it.
    return text if _CLOCK.fullmatch(text) else None


_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d)?")

OF_SORT: dict[Callable[[Any], Any], frozenset[type]] = {_number: NUMBER_TYPES, _time: frozenset({str})}
SORTS = tuple(OF_SORT)
"""What can be ordered: each gives a value as one of its sort, or None; and the types that such values are of."""


def _holds(low: Any, high: Any) -> bool:
    """Say whether one value is not above another, of the sort that both are of; what is of none is in order."""
    for sort in SORTS:
        first, second = sort(low), sort(high)
        if first is not None and second is not None:
            return _in_order(first, second)
    return True


def _in_order(first: Any, second: Any) -> bool:
    """Say whether the first is not above the second; what cannot be compared is in order."""
    if isinstance(first, str) or isinstance(second, str):
        return type(first) is not type(second) or len(first) != len(second) or first <= second
    if hasattr(first, "tzinfo") and (not hasattr(second, "tzinfo") or not comparable(first, second)):
        return True
    return bool(first <= second)


def _varies(values: list[Any]) -> bool:
    """Say whether there is more than one value, as they are written."""
    written = (str(value) for value in values if value is not None)
    first = next(written, None)
    return any(other != first for other in written)


def _columns(table: Table, sort: Callable[[Any], Any]) -> dict[Feature, Column]:
    """Return the features that are of a sort and vary, those of the answer first."""
    columns: dict[Feature, Column] = {}
    for name in sorted(table.columns, key=lambda name: (name.sort.of_call, name)):
        values = table.columns[name].values
        compared = name.sort.of_call or name.sort in COMPARED
        if compared and not OF_SORT[sort].isdisjoint(map(type, values)):
            found = [*map(sort, values)]
            if _varies(found):
                columns[name] = column_of(found)
                if len(columns) == CONFIG.before_features:
                    break
    return columns


def _in_order_at(ones: list[Any], others: list[Any], row: int) -> bool:
    return _in_order(ones[row], others[row])


ENDS = {
    ("begin", "end"),
    ("check_in", "check_out"),
    ("created", "modified"),
    ("created", "updated"),
    ("depart", "arrive"),
    ("departure", "arrival"),
    ("first", "last"),
    ("from", "to"),
    ("low", "high"),
    ("lower", "upper"),
    ("min", "max"),
    ("minimum", "maximum"),
    ("opened", "closed"),
    ("start", "end"),
}
"""What names say of an order: where one name is the other with such a pair of words exchanged."""


@lru_cache(maxsize=16384)
def _by_name(first: str, second: str) -> bool:
    one, other = "_".join(words(first)), "_".join(words(second))
    return any(re.sub(rf"(?<![a-z]){low}(?![a-z])", high, one) == other != one for low, high in ENDS)


@lru_cache(maxsize=16384)
def _apart(first: Feature, second: Feature) -> bool:
    """Say whether two features of an answer have no word in common and stand in different objects, or are numbers at that.

    That a price is never above a weight, or one thing never older than another, is mostly an accident of the sample.
    """
    if first.sort.of_call or second.sort.of_call:
        return False
    (one, *above), (other, *beside) = (_names(feature) for feature in (first, second))
    timed = is_moment(first.path) and is_moment(second.path)
    return above != beside if timed else not {*words(one)} & {*words(other)}


def _names(feature: Feature) -> list[str]:
    """Return the names on the path of a feature, the last one first."""
    return [step for step in reversed(feature.steps) if isinstance(step, str)] or [""]


def _many_tasks(pairs: _Pairs) -> bool:
    return len(tasks_behind(witness for *_, witness in pairs)) >= CONFIG.before_tasks_apart


def _noun(feature: str) -> str:
    """Return what a feature is a number or time of: the free and the total baggage are both baggage."""
    return last_word(feature)


def _by_rule(pairs: _Pairs, *, of_one_noun: bool, by_name: bool) -> bool:
    """Say whether that nearly all pairs are in order is no accident."""
    distinct = len({(a, b) for a, b, _ in pairs})
    if distinct < (CONFIG.before_pairs_by_name if by_name else CONFIG.before_pairs) or all(
        a == b for a, b, _ in pairs
    ):
        return False
    tasks = len(tasks_behind(w for *_, w in pairs))
    if tasks < CONFIG.before_tasks and not by_name:
        return False
    if by_name:
        return True
    if of_one_noun and _by_chance(pairs) * tasks >= CONFIG.before_surprise_of_one_noun:
        return True
    return _by_chance(pairs) * distinct >= CONFIG.before_surprise


def _scale(value: Any) -> Hashable:
    """Return what values have in common that can all be sorted."""
    if isinstance(value, str):
        return len(value)
    return f"time {value.tzinfo is None}" if isinstance(value, datetime) else "number"


def _by_chance(pairs: _Pairs) -> float:
    """Return the share of pairs that would be out of order, had they been shuffled."""
    some = pairs[:: max(1, len(pairs) // CONFIG.before_shuffled)]
    firsts, seconds = [a for a, _, _ in some], [b for _, b, _ in some]
    if len({*map(_scale, firsts), *map(_scale, seconds)}) == 1:
        seconds.sort()
        out_of_order = sum(bisect_left(seconds, a) for a in firsts)
    else:
        out_of_order = sum(not _in_order(a, b) for a in firsts for b in seconds)
    return out_of_order / len(some) ** 2
