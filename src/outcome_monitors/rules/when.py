"""`when`: what a flag or a category says of another field: a delivered order has a tracking number, a pending one has none.

A field is `absent`, `null`, `empty` (no text, zero, false; a list without items) or `filled`. Given what the category is, clean
results have it in some of these states only. It must be no accident: were the category and the field independent, several
tasks would have shown another state.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from .._evidence import Evidence, Rows, tasks_behind
from .._features import ABSENT, MOST, is_argument
from .._model import Clause, Json
from .._paths import parse, render
from ._closed import Closed, close, join_fired
from ._kind import Candidate
from ._record import Get, RecordKind, is_feature, noun, rows_of, said

__all__ = ["STATES", "When"]

STATES = ("absent", "null", "empty", "filled")
"""What can be said of a field without looking at its value."""
LEAST_TASKS = 4
"""Behind each value of the category."""
LEAST_SURPRISE = 4.0
"""So many tasks that would have shown another state by chance."""
MOST_VALUES = 8
"""Of a category."""
MOST_STRAY = 0.02
"""The share of records whose category may be a value that one task alone showed."""
MOST_CATEGORIES = 16

_Groups = dict[str, set[int]]
"""The records, by number, that have a value or are in a state."""
_Column = tuple[str, _Groups]
"""A feature with its values or its states."""


class When(RecordKind):
    """A field is absent, null, empty or filled as a category of the same record has it."""

    name = "when"
    code = "implication_broken"
    profiles = frozenset({"full"})
    worth = 2.0
    pools = True
    params = {
        "given": lambda v: is_feature(v) and _may_be_given(v),
        "field": lambda v: is_feature(v) and v[0] in ".#",
        "states": lambda v: isinstance(v, dict) and bool(v) and all(map(_are_states, v.values())),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each category that leaves a field fewer states than the field has."""
        for path, rows in rows_of(evidence):
            whole = _whole(rows)
            categories = _categories(whole)
            for field in _fields(whole) if categories else ():
                for given in categories.items():
                    same = given[0] == field[0]
                    candidate = None if same else self._of(path, given, field, whole, evidence.tasks(path))
                    if candidate is not None:
                        yield candidate

    def _of(self, path: str, given: _Column, field: _Column, rows: Rows, tasks: int) -> Candidate | None:
        told = dict(_told(given[1], field[1], rows))
        if not told:
            return None
        states: dict[str, Json] = {value: [s for s in STATES if s in told[value].admitted] for value in told}
        fired: dict[int, int] = {}
        for closed in told.values():
            join_fired(fired, closed.fired)
        judged = set().union(*(given[1][value] for value in told))
        params = {"given": given[0], "field": field[0], "states": states}
        samples = sum(rows[index][1].calls for index in judged)
        clause = Clause(self.name, path, params, samples, tasks, "traces")
        return Candidate(clause, "", fired, len(told), len(_tasks(judged, rows)))

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Test that the field is in one of the states that go with the category."""
        given, field, states = params["given"], params["field"], params["states"]

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            allowed = states.get(_category(get(given)))
            if allowed is None:
                return None
            found = get(field)
            if _state(found) in allowed:
                return None
            return field, " or ".join(allowed), "absent" if found is ABSENT else found

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"{_field(params['field'])} is not as clean results have it for this {noun(params['given'])}"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        given, field = said(clause.params["given"]), _field(clause.params["field"])
        return "; ".join(
            f"where {given} is {value}, {field} is {' or '.join(states)}"
            for value, states in clause.params["states"].items()
        )


def _may_be_given(feature: str) -> bool:
    return feature[0] == "." or is_argument(feature)


def _are_states(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(s, str) and s in STATES for s in value)


def _field(field: str) -> str:
    """Return the field as it stands in a sentence; of a list it is the list that is empty, not its number of items."""
    return said("." + field[1:])


def _category(value: Any) -> str | None:
    """Return a text or a boolean as a contract file writes it; None of what is no category."""
    if type(value) is bool:
        return "true" if value else "false"
    return value if type(value) is str and not value.startswith("\0") else None


def _state(value: Any) -> str:
    # Generated code hands over lists and objects, which are no scalars: `reader` gives ABSENT for them.
    if value is ABSENT or isinstance(value, (list, dict)):
        return "absent"
    if value is None:
        return "null"
    return "filled" if value else "empty"


def _whole(rows: Rows) -> Rows:
    """Leave out records with so many features that some were not kept: there, absent means nothing."""
    # `_families` takes the key of a record away, after the cut.
    return [(found, witness) for found, witness in rows if len(found) < MOST - 1]


def _categories(rows: Rows) -> dict[str, _Groups]:
    """Return each feature of a few values that more than one task showed, with the records that have them."""
    columns: dict[str, _Groups] = {}
    for index, (found, _) in enumerate(rows):
        for name, value in found.items():
            written = _category(value) if _may_be_given(name) else None
            if written is not None:
                columns.setdefault(name, {}).setdefault(written, set()).add(index)
    few = ((name, common) for name in sorted(columns) if (common := _common(columns[name], rows)))
    return dict(islice(few, MOST_CATEGORIES))


def _common(column: _Groups, rows: Rows) -> _Groups | None:
    """Return the values that more than one task showed; None where they are one, or too many, or not nearly all."""
    common = {value: having for value, having in column.items() if len(_tasks(having, rows)) > 1}
    records, kept = (sum(map(len, groups.values())) for groups in (column, common))
    return common if 1 < len(common) <= MOST_VALUES and records - kept <= MOST_STRAY * records else None


def _fields(rows: Rows) -> Iterator[_Column]:
    """Yield each scalar and each count of the answer that has more than one state, with the records in them."""
    names = sorted({name for found, _ in rows for name in found if name[0] in ".#"})
    # Where other records have a list or an object, no scalar does not mean nothing: the count or the inner fields tell.
    containers = _containers(names)
    for name in names:
        if (name[0] == "#" or name[1:] not in containers) and not _supplied(name, rows):
            states: _Groups = {}
            for index, (found, _) in enumerate(rows):
                states.setdefault(_state(found.get(name, ABSENT)), set()).add(index)
            if len(states) > 1:
                yield name, states


def _containers(names: list[str]) -> set[str]:
    """Return the paths that have a list or an object in some records."""
    found = {name[1:] for name in names if name[0] == "#"}
    for name in names:
        steps = parse(name[1:])
        found.update(render(steps[:depth]) for depth in range(1, len(steps)))
    return found


def _supplied(field: str, rows: Rows) -> bool:
    """Say whether a field repeats an argument: whether it is filled is then the caller's choice."""
    repeated: dict[str, set[Any]] = {}
    for found, _ in rows:
        value = found.get(field)
        for name in filter(is_argument, found) if value is not None else ():
            same = type(found[name]) is type(value) and found[name] == value
            repeated.setdefault(name, set()).add(value if same else ABSENT)
    return any(len(values) > 1 and ABSENT not in values for values in repeated.values())


def _told(values: _Groups, states: _Groups, rows: Rows) -> Iterator[tuple[str, Closed]]:
    """Yield each value of a category that leaves a field fewer states than it has, by no accident, with these states."""
    judged = set().union(*values.values())
    shares = {state: len(found & judged) / len(judged) for state, found in states.items()}
    for value, having in sorted(values.items()):
        tasks = len(_tasks(having, rows))
        shown = ((state, rows[index][1]) for state, found in states.items() for index in found & having)
        closed = close(shown, tasks)
        by_chance = sum(share for state, share in shares.items() if state not in closed.admitted)
        if tasks >= LEAST_TASKS and by_chance * tasks >= LEAST_SURPRISE:
            yield value, closed


def _tasks(records: set[int], rows: Rows) -> set[int]:
    return tasks_behind(rows[index][1] for index in records)
