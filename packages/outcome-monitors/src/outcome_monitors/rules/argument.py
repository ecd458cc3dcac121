"""`argument`: a field agrees with an argument of the call, whatever their names: what was asked for is what is answered.

They may be equal, equal but for case and space and the way a number is written, one contained in the other, the field one of the
items of a list argument, or a time on the day that was asked for. On a path of rows the field of every row agrees: a filter that was honoured.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime
from functools import cache, lru_cache, partial
from itertools import chain, product
from typing import Any

from outcome_monitors.features.aggregates import digest
from outcome_monitors.features.feature import ABSENT, Feature, Sort, is_answer, normal_form
from outcome_monitors.jsonvalue.display import clip, first_of, odd_item
from outcome_monitors.jsonvalue.paths import ROOT, each_item, select
from outcome_monitors.jsonvalue.times import when
from outcome_monitors.jsonvalue.types import normalise
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import tasks_behind
from outcome_monitors.rules.evidence.table import Column, Table, set_of

from .base.kind import Candidate
from .base.record import (
    Fault,
    Get,
    RecordKind,
    described,
    finest,
    is_feature,
    is_of,
    place_of,
    rows_of,
    tables_of,
)
from .base.traits import Cause, Mining, Traits
from .config import CONFIG

VALUES = frozenset({Sort.FIELD, Sort.KEY, Sort.FIRST, Sort.LAST, Sort.MEMBERS})
"""Sorts that may be an argument that comes back."""


def _text(value: Any) -> str | None:
    """Return what is compared of a text or a number; None of anything else."""
    if type(value) is str:
        return normalise(value)
    # As it was mined: a 12.0 was kept as 12.
    return str(normal_form(value)) if type(value) in (int, float) else None


def _same(argument: Any, field: Any) -> bool:
    mine = _text(argument)
    return bool(argument == field) or (mine is not None and mine == _text(field))


def _contains(argument: Any, field: Any) -> bool:
    mine, theirs = _text(argument), _text(field)
    return mine is not None and theirs is not None and (len(mine) < CONFIG.argument_text or mine in theirs)


def _within(argument: Any, field: Any) -> bool:
    mine, theirs = _text(argument), _text(field)
    return mine is not None and theirs is not None and (len(theirs) < CONFIG.argument_text or theirs in mine)


def _among(argument: Any, field: Any) -> bool:
    return isinstance(argument, (list, tuple)) and field in argument


@lru_cache(maxsize=65536)
def _day_of(text: str) -> date | None:
    moment = when(text)
    return moment.date() if isinstance(moment, datetime) else moment


def _on_the_day(argument: Any, field: Any) -> bool:
    """Say whether a time is on the day that was asked for."""
    if type(argument) is not str or type(field) is not str or len(argument) != _A_DAY:
        return False
    asked = _day_of(argument)
    return asked is not None and asked == _day_of(field)


_A_DAY = len("2026-03-01")


def _answered(argument: Any, field: Any) -> bool:
    """Say whether each of several things that were asked for is a member of the answer."""
    return (
        isinstance(argument, (list, tuple))
        and isinstance(field, tuple)
        and {item if isinstance(item, str) else str(item) for item in argument}.issubset(field)
    )


AGREEMENTS: dict[str, Callable[[Any, Any], bool]] = {
    "equal": lambda argument, field: bool(argument == field),
    "same": _same,
    "among": _among,
    "answered": _answered,
    "day": _on_the_day,
    "contains": _contains,
    "within": _within,
}
"""Each way to agree, strictest first."""
_OF_ANSWERS = frozenset({"answered", "contains", "within"})
"""Those that say something of an answer as a whole alone."""


def _supplied(clause: Clause) -> tuple[str, ...]:
    """Name the field that repeats the argument; with a list, all its items."""
    if clause.params["agree"] not in ("equal", "same"):
        return ()
    place = place_of(clause.path, clause.params["field"])
    return (place, each_item(place)) if is_of(clause.params["field"], Sort.WHOLE) else (place,)


class Argument(RecordKind):
    """The field agrees with the argument."""

    name = "argument"
    code = "learned_echo_mismatch"
    cause = Cause.ANOTHER_QUESTION
    traits = Traits(about="record", variant=("agree",), corroborates=True, own_words=True, never_normal=True)
    mining = Mining(budget_weight=5.0, judged="field", supplied=_supplied)
    identity = ("argument", "field")
    wrong = "field {field} does not agree with {argument} of the call"
    params = {
        "argument": is_feature,
        "field": is_feature,
        "agree": lambda v: isinstance(v, str) and v in AGREEMENTS,
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest the strictest agreement that holds in nearly all records, where it is no accident."""
        of_a_thing = ROOT in evidence.records and bool(finest(evidence.table(ROOT)))
        for path, table in tables_of(evidence):
            # The rows of a search are its answer; those of a thing are parts of it.
            part = of_a_thing and each_item("") in path
            for argument, field in _compared(table):
                candidate = self._of(path, argument, field, table, evidence.tasks(path), part=part)
                if candidate is not None:
                    yield candidate

    def _of(
        self, path: str, asked: "_Given", found: "_Given", table: Table, tasks: int, *, part: bool
    ) -> Candidate | None:
        (argument, given), (field, values) = asked, found
        agree = _agreement(table, given, values, members=field.sort is Sort.MEMBERS)
        # Of rows, what is part of something else is too often so by chance: they come in the same company.
        if agree is None or (agree in _OF_ANSWERS and (not is_answer(path) or field.sort.is_end)):
            return None
        pairs, holds = rows_of(table, given, values), AGREEMENTS[agree]
        shown = {repr(b) for a, b, _ in pairs if holds(a, b) and _discriminates(agree, a, b)}
        behind = tasks_behind(witness for *_, witness in pairs)
        # That a constant agrees with a constant shows nothing.
        least = CONFIG.min_values_of_ends if field.sort.is_end or part else CONFIG.min_values
        if len(shown) < least or len(behind) < CONFIG.min_tasks:
            return None
        if agree == "equal" and field.sort is Sort.WHOLE:
            # Many tools sort what they were given.
            agree = "same"
        params = {"argument": str(argument), "field": str(field), "agree": agree}
        odd = [w for a, b, w in pairs if not holds(a, b)]
        # That an argument comes back under its own name is what most tools do; not in each part of a thing.
        own = field.path == argument.path and argument.sort is not Sort.ARGUMENT_INSIDE and not part
        trusted = True if agree == "equal" and own and not odd else None
        return self.candidate(path, params, [w for *_, w in pairs], odd, tasks, len(shown), trusted=trusted)

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each record that does not agree; of lists that are to be the same, the order is the tool's business."""
        in_any_order = clause.params["agree"] == "same"
        for violation in super().check(clause, arguments, result):
            if not is_of(clause.params["field"], Sort.WHOLE):
                yield violation
                continue
            asked = arguments.get(Feature.parse(clause.params["argument"]).path)
            found = next((value for _, value in select(result, violation.path)), None)
            if not (in_any_order and _same_items(asked, found)):
                expected, observed = _odd(asked, found, in_any_order=in_any_order)
                yield replace(violation, expected=expected, observed=observed)

    def compared(self, clause: Clause, get: Get, expected: Json, observed: Json) -> tuple[Json, Json]:
        """List the items that the field should be among, or name the first that it should have."""
        if clause.params["agree"] == "answered" and isinstance(observed, tuple):
            missing = [item for item in expected if not _answered([item], observed)]
            return first_of(missing), "missing"
        if not isinstance(expected, (list, tuple)):
            return super().compared(clause, get, expected, observed)
        return first_of(expected), clip(observed)

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        field, agree = params["field"], AGREEMENTS[params["agree"]]

        def broken(asked: Any, found: Any) -> Fault | None:
            if asked is ABSENT or found is ABSENT or asked is None or found is None or agree(asked, found):
                return None
            return field, asked, found if isinstance(found, str) else normal_form(found)

        return broken

    def explain(self, clause: Clause) -> str:
        params = clause.params
        if params["agree"] == "same" and is_of(params["field"], Sort.WHOLE):
            return f"{described(params['field'])} has the items of {described(params['argument'])}"
        return f"{described(params['field'])} {_SAID[params['agree']]} {described(params['argument'])}"


_SAID = {
    "equal": "equals",
    "same": "is, but for spelling,",
    "among": "is among",
    "answered": "have each of",
    "day": "is on the day of",
    "contains": "contains",
    "within": "is part of",
}


def _same_items(asked: Any, found: Any) -> bool:
    """Say whether two lists have the same items, in whatever order."""
    lists = isinstance(asked, list) and isinstance(found, list) and len(asked) == len(found)
    return lists and Counter(map(digest, asked)) == Counter(map(digest, found))


def _odd(asked: Any, found: Any, *, in_any_order: bool) -> tuple[Json, Json]:
    """Say which item of a list is not as it was asked for; in any order, the first that is not in the other."""
    if not (isinstance(asked, list) and isinstance(found, list)):
        return clip(asked), clip(found)
    if not in_any_order:
        return odd_item(asked, found)
    theirs, mine = Counter(map(digest, found)), Counter(map(digest, asked))
    missing = [item for item in asked if theirs[digest(item)] < mine[digest(item)]]
    added = [item for item in found if mine[digest(item)] < theirs[digest(item)]]
    if not missing:
        return "no more than was asked for", clip(added[0])
    return clip(missing[0]), f"missing, with {clip(added[0])!r} in its place" if added else "missing"


_Given = tuple[Feature, Column]
"""A feature, and the records that have it and where it is not null."""


def _agreement(table: Table, asked: Column, found: Column, *, members: bool) -> str | None:
    """Return the strictest way in which nearly all records agree."""
    for agree, holds in AGREEMENTS.items():
        if (agree == "answered") is members:
            agrees = partial(lambda holds, row: holds(asked.values[row], found.values[row]), holds)
            if table.odd(asked.having & found.having, agrees, CONFIG.argument_noise) is not None:
                return agree
    return None


def _pairs(table: Table) -> Iterator[tuple[Feature, Feature]]:
    """Yield each argument with each field that it may come back in."""
    names = list(table.columns)
    arguments = [name for name in names if name.sort.is_argument]
    fields = [name for name in names if name.sort in VALUES]
    asked = [name for name in names if name.sort is Sort.ARGUMENT_WHOLE]
    lists = [name for name in names if name.sort is Sort.WHOLE]
    return chain(product(arguments, fields), product(asked, lists))


def _compared(table: Table) -> Iterator[tuple[_Given, _Given]]:
    """Yield each argument with each field, where enough records have both."""

    @cache
    def given(name: Feature) -> Column:
        values, having = table.columns[name]
        nulls = set_of((row for row, value in enumerate(values) if value is None), len(values))
        return Column(values, having & ~nulls)

    for argument, field in _pairs(table):
        both = given(argument).having & given(field).having
        if both.bit_count() >= CONFIG.min_values:
            yield (argument, given(argument)), (field, given(field))


def _discriminates(agree: str, asked: Any, value: Any) -> bool:
    return (
        agree not in ("contains", "within") or min(len(str(asked)), len(str(value))) >= CONFIG.argument_text
    )
