"""`conditional`: what a flag or a category says of another field: a delivered order has a tracking number, a pending one has none.

A field is `absent`, `null`, `empty` (no text, zero, false; a list without items) or `filled`. Given what the category is, clean
results have it in some of these states only. It must be no accident: were the category and the field independent, several
tasks would have shown another state.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import reduce
from itertools import islice
from operator import or_
from typing import Any, NamedTuple

from outcome_monitors.features.feature import ABSENT, Feature, Sort
from outcome_monitors.features.limits import RECORD_FEATURES
from outcome_monitors.jsonvalue.paths import render
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.table import Column, Records, Table, first_of, members, set_of

from .base.kind import Candidate
from .base.record import Fault, Get, RecordKind, described, is_feature, is_of, noun, tables_of, written
from .base.support import Closed, close, join_fired
from .base.traits import Mining, Traits
from .config import CONFIG

STATES = ("absent", "null", "empty", "filled")
"""What can be said of a field without looking at its value."""
STATED = frozenset({Sort.FIELD, Sort.NUMBER})
"""Sorts that this can be said of."""

_Groups = dict[str, Records]
"""The records that have a value or are in a state."""


class _Category(NamedTuple):
    """A feature of few values: the records of each value, with how many tasks stand behind them, and of all."""

    name: Feature
    values: list[tuple[str, Records, int]]
    judged: Records


class Conditional(RecordKind):
    """A field is absent, null, empty or filled as a category of the same record has it."""

    name = "conditional"
    code = "implication_broken"
    traits = Traits(about="record", of_the_day=True)
    mining = Mining(budget_weight=2.0, pools=True)
    identity = ("given", "field")
    params = {
        "given": lambda v: is_feature(v) and _may_be_given(Feature.parse(v)),
        "field": lambda v: is_of(v, *STATED),
        "states": lambda v: isinstance(v, dict) and bool(v) and all(map(_are_states, v.values())),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each category that leaves a field fewer states than the field has."""
        for path, table in tables_of(evidence):
            whole = _whole(table)
            # Mostly all fields are always filled, and then no category tells of them.
            fields = list(_fields(table, whole))
            categories = _categories(table, whole) if fields else []
            for field, states in fields:
                for given in categories:
                    told = {} if given.name == field else dict(_told(given, states, table))
                    if told:
                        yield self._of(path, given, field, told, table, evidence.tasks(path))

    def _of(
        self,
        path: str,
        given: _Category,
        field: Feature,
        told: Mapping[str, Closed],
        table: Table,
        tasks: int,
    ) -> Candidate:
        states: dict[str, Json] = {value: [s for s in STATES if s in told[value].admitted] for value in told}
        fired: dict[int, int] = {}
        for closed in told.values():
            join_fired(fired, closed.fired)
        judged = reduce(or_, (having for value, having, _ in given.values if value in told))
        params = {"given": str(given.name), "field": str(field), "states": states}
        samples = sum(table.witnesses[index].calls for index in members(judged))
        clause = Clause(self.name, path, params, samples, tasks, "traces")
        return Candidate(clause, "", fired, len(told), len(table.tasks(judged)))

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        field, states = params["field"], params["states"]

        def broken(given: Any, found: Any) -> Fault | None:
            allowed = states.get(_category(given))
            if allowed is None or _state(found) in allowed:
                return None
            return field, " or ".join(allowed), "absent" if found is ABSENT else found

        return broken

    def agreement(self, clause: Clause, get: Get) -> str:
        given, field = clause.params["given"], clause.params["field"]
        allowed = clause.params["states"].get(_category(get(given)), ())
        return f"{_field(field)} {' or '.join(allowed)} for {described(given)} {written(get, given)}"

    def detail(self, params: Mapping[str, Json]) -> str:
        return f"{_field(params['field'])} is not as clean results have it for this {noun(params['given'])}"

    def wanted(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        """Return the category alone: that the field is absent is what is judged."""
        return (params["given"],)

    def public(self, params: Mapping[str, Json]) -> bool:
        """Show states, which are words of ours."""
        return True

    def texts(self, params: Mapping[str, Json]) -> Iterator[tuple[str | None, str]]:
        return ((params["given"], value) for value in params["states"])

    def explain(self, clause: Clause) -> str:
        given, field = described(clause.params["given"]), _field(clause.params["field"])
        return "; ".join(
            f"where {given} is {value}, {field} is {' or '.join(states)}"
            for value, states in clause.params["states"].items()
        )


def _may_be_given(feature: Feature) -> bool:
    return feature.sort is Sort.FIELD or feature.sort.is_argument


def _are_states(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(s, str) and s in STATES for s in value)


def _field(field: str) -> str:
    """Return the field as it stands in a sentence; of a list it is the list that is empty, not its number of items."""
    return described(Sort.FIELD.of(Feature.parse(field).path))


def _category(value: Any) -> str | None:
    """Return a text or a boolean as a contract file writes it; None of what is no category."""
    if type(value) is bool:
        return "true" if value else "false"
    return value if _is_text(value) else None


def _is_text(value: Any) -> bool:
    """Say whether a value is a text that is kept as it is."""
    return type(value) is str and value[:1] != "\0"


def _state(value: Any) -> str:
    # Generated code hands over lists and objects, which are no scalars: `reader` gives ABSENT for them.
    if value is ABSENT or isinstance(value, (list, dict)):
        return "absent"
    if value is None:
        return "null"
    return "filled" if value else "empty"


def _whole(table: Table) -> Records:
    """Leave out records with so many features that some were not kept: there, absent means nothing."""
    # `mining.shapes` takes the key of a record away, after the cut.
    return reduce(
        or_, (records for names, records in table.shapes.items() if len(names) < RECORD_FEATURES - 1), 0
    )


def _categories(table: Table, whole: Records) -> list[_Category]:
    """Return each feature of a few values that more than one task showed, with the records that have them."""
    named = (name for name in table.columns if _may_be_given(name))
    few = (found for name in named if (found := _category_of(name, table, whole)))
    return list(islice(few, CONFIG.conditional_categories))


def _category_of(name: Feature, table: Table, whole: Records) -> _Category | None:
    """Return the values that more than one task showed; None where they are one, or too many, or not nearly all."""
    values = table.columns[name].values
    most = CONFIG.conditional_values + CONFIG.conditional_stray * len(values)
    # More values than can be common or strays: so it is with most texts.
    if not table.columns[name].having & ~whole and _texts_in(values) > most:
        return None
    column: dict[str, list[int]] = {}
    for index, value in enumerate(values):
        written = _category(value)
        if written is not None:
            column.setdefault(written, []).append(index)
    groups = ((value, set_of(having, len(values)) & whole) for value, having in sorted(column.items()))
    having = [(value, records) for value, records in groups if records]
    common = [
        (value, records, tasks) for value, records in having if (tasks := len(table.tasks(records))) > 1
    ]
    judged = reduce(or_, (records for _, records, _ in common), 0)
    records = sum(found.bit_count() for _, found in having)
    nearly_all = records - judged.bit_count() <= CONFIG.conditional_stray * records
    return (
        _Category(name, common, judged)
        if 1 < len(common) <= CONFIG.conditional_values and nearly_all
        else None
    )


def _texts_in(values: list[Any]) -> int:
    """Return how many different texts there are that are kept as they are."""
    return sum([type(value) is str and value[:1] != "\0" for value in {*values}])


def _fields(table: Table, whole: Records) -> Iterator[tuple[Feature, _Groups]]:
    """Yield each scalar and each count of the answer that has more than one state, with the records in them."""
    names = [name for name, column in table.columns.items() if name.sort in STATED and column.having & whole]
    # Where other records have a list or an object, no scalar does not mean nothing: the count or the inner fields tell.
    containers = _containers(names)
    for name in names:
        if name.sort is Sort.NUMBER or name.path not in containers:
            states = _states(table.columns[name], whole)
            if len(states) > 1 and not _supplied(name, table, whole):
                yield name, states


def _states(column: Column, whole: Records) -> _Groups:
    """Return the states that a field has, in the order of the records that show them."""
    values, having = column
    found = {"absent": ~having, "filled": having}
    # ABSENT is true.
    if not all(values):
        null, empty = (
            set_of((index for index, value in enumerate(values) if _state(value) == state), len(values))
            for state in ("null", "empty")
        )
        found.update(null=null, empty=empty, filled=having ^ null ^ empty)
    states = ((state, records & whole) for state, records in found.items())
    return dict(sorted(((s, records) for s, records in states if records), key=lambda s: first_of(s[1])))


def _containers(names: list[Feature]) -> set[str]:
    """Return the paths that have a list or an object in some records."""
    found = {name.path for name in names if name.sort is Sort.NUMBER}
    for name in names:
        steps = name.steps
        found.update(render(steps[:depth]) for depth in range(1, len(steps)))
    return found


def _supplied(field: Feature, table: Table, whole: Records) -> bool:
    """Say whether a field repeats an argument: whether it is filled is then the caller's choice."""
    column = table.columns[field]
    arguments = (table.columns[name] for name in table.columns if name.sort.is_argument)
    return any(_repeats(column, argument, whole) for argument in arguments)


def _repeats(field: Column, argument: Column, whole: Records) -> bool:
    """Say whether a field that is there is what the argument is, and that varies; it looks no further than it must."""
    repeated: set[Any] = set()
    for index in members(field.having & argument.having & whole):
        value, asked = field.values[index], argument.values[index]
        if value is None:
            continue
        if type(asked) is not type(value) or asked != value:
            return False
        repeated.add(value)
    return len(repeated) > 1


def _told(given: _Category, states: _Groups, table: Table) -> Iterator[tuple[str, Closed]]:
    """Yield each value of a category that leaves a field fewer states than it has, by no accident, with these states."""
    judged = given.judged.bit_count()
    shares = [(records, (records & given.judged).bit_count() / judged) for records in states.values()]
    for value, having, tasks in given.values:
        if tasks < CONFIG.conditional_tasks:
            continue
        by_chance = sum(share for records, share in shares if not _admitted(records & having, tasks, table))
        if by_chance * tasks >= CONFIG.conditional_surprise:
            witnesses = table.witnesses
            shown = (
                (state, witnesses[i]) for state, found in states.items() for i in members(found & having)
            )
            yield value, close(shown, tasks)


def _admitted(records: Records, tasks: int, table: Table) -> bool:
    """Say whether `close` will admit a state, by the records that show it."""
    return bool(records) and (tasks < CONFIG.label_noise_tasks or table.several(records))
