"""`fact`: what an identity is known to come with: a product its name, a city its country, the same arguments the same answer.

Mined where one feature decides another (a functional dependency), and kept as the pairs that more than one task showed. Of
identities that were never seen it says nothing.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._evidence import NO_TASK, Evidence, Rows, tasks_behind
from .._features import ABSENT, MADE, is_answer, kept, shown
from .._memory import names_a_thing
from .._model import Clause, Json
from ._kind import Beside, Bind, Candidate, Fast
from ._record import Get, RecordKind, is_feature, rows_of, said

__all__ = ["Fact"]

QUESTION = "@"
"""All arguments together."""
LEAST_KEYS = 3
"""Identities that more than one task showed."""
LEAST_SURPRISE = 5.0
"""So many pairs that would not have agreed by chance."""
MOST_PAIRS = 1000
LONGEST_KEY = 80
ONE_ODD_IN = 50
"""Of so many keys, one may come with more than one value: traces have dirt in them."""


class Fact(RecordKind):
    """The feature has the value that its key is known to come with."""

    name = "fact"
    code = "known_fact_contradicted"
    profiles = frozenset({"full"})
    worth = 3.0
    exact = True
    pools = True
    params = {
        "key": is_feature,
        "field": is_feature,
        "facts": lambda v: (
            isinstance(v, dict)
            and all(isinstance(f, (str, int, float, bool, type(None))) for f in v.values())
        ),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest each pair of features of which one decides the other."""
        for path, rows in rows_of(evidence):
            columns = _columns(rows)
            for key in sorted(columns):
                groups = _groups(rows, columns[key], key) if _may_be_key(key, path) else []
                if len(groups) < (1 if key == QUESTION else LEAST_KEYS):
                    continue
                for name in sorted(columns):
                    if _may_be_decided(name, key) and _decides(groups, columns[name]):
                        candidate = self._of(path, key, name, _known(rows, groups, columns[name]), evidence)
                        if candidate is not None:
                            yield candidate

    def _of(self, path: str, key: str, name: str, known: "_Known", evidence: Evidence) -> Candidate | None:
        shown = sum(known.overall.values())
        # The same question has the same answer: that needs no variety to be no accident.
        if key != QUESTION and (len(known.records) < LEAST_KEYS or len(known.overall) < 2):
            return None
        alike = 0 if key == QUESTION else max(known.overall.values(), default=0) / shown
        if not known.records or known.repeats * (1 - alike) < LEAST_SURPRISE:
            return None
        facts = {str(_written(found[key])): found[name] for found in known.records}
        params = {"key": key, "field": name, "facts": dict(sorted(facts.items())[:MOST_PAIRS])}
        clause = Clause(self.name, path, params, known.repeats + shown, evidence.tasks(path), "traces")
        return Candidate(clause, "", known.fired, entities=shown, sort="question" if key == QUESTION else "")

    def features(self, params: Mapping[str, Json]) -> tuple[str, ...]:
        """Return the key and the field, whatever their order in a file."""
        return params["key"], params["field"]

    def broken(self, params: Mapping[str, Json]) -> Callable[[Get], tuple[str, Json, Json] | None]:
        """Test that a known key comes with its known value."""
        key, field, facts = params["key"], params["field"], params["facts"]

        def broken(get: Get) -> tuple[str, Json, Json] | None:
            known = facts.get(_written(get(key)), ABSENT)
            if known is ABSENT:
                return None
            found = get(field)
            if found is ABSENT or isinstance(found, (dict, list)) or kept(found) == known:
                return None
            return field, shown(known), shown(kept(found))

        return broken

    def detail(self, params: Mapping[str, Json]) -> str:
        """Say what is wrong."""
        return f"{said(params['field'])} is not what {said(params['key'])} is known to come with"

    def explain(self, clause: Clause) -> str:
        """Say it in words."""
        params = clause.params
        return f"{said(params['key'])} decides {said(params['field'])} ({len(params['facts'])} known)"

    def fast(self, clause: Clause, bind: Bind, beside: Beside) -> Fast | None:
        """Look the key up; one that is not known gives back the value itself, and so is equal. The rest goes through the test."""
        slow = super().fast(clause, bind, beside)
        if slow is None:
            return None
        facts = dict(clause.params["facts"])
        # A whole number is written as its digits in a file.
        facts.update({int(key): fact for key, fact in facts.items() if _WHOLE.fullmatch(key)})
        known, get = bind(facts), bind(facts.get)
        if clause.params["field"][0] == "=":
            one = f"({{0}} not in {known} or {known}[{{0}}] == {{1}} or {slow.one})"
            column = f"({known}.keys().isdisjoint({{0}}) or {slow.column})"
            return Fast(one, column, features=slow.features)
        one = f"({{1}} is M or {get}({{0}}, {{1}}) == {{1}} or {slow.one})"
        column = f"(all(map({bind(operator.eq)}, map({get}, {{0}}, {{1}}), {{1}})) or {slow.column})"
        return Fast(one, column, features=slow.features)


_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,999}")


def _written(identity: Any) -> str | None:
    """Return a key as a contract file can hold it; None of what is neither a text nor a whole number."""
    if type(identity) is str:
        return identity
    number = kept(identity)
    return repr(number) if type(number) is int else None


_Column = dict[int, str]
"""A feature's value in each record that has it, written out so that values can be compared."""


def _columns(rows: Rows) -> dict[str, _Column]:
    """Return the features that vary."""
    columns: dict[str, _Column] = {}
    for index, (found, _) in enumerate(rows):
        for name, value in found.items():
            if type(value) is not tuple:
                columns.setdefault(name, {})[index] = repr(value)
    return {name: column for name, column in columns.items() if len(set(column.values())) > 1}


def _may_be_key(feature: str, path: str) -> bool:
    if feature[0] == "@":
        # An argument decides the answer as a whole, not its rows one by one.
        return is_answer(path) and feature[1:2] not in MADE
    return feature[0] not in "#+%=<>~"


def _identifies(value: Any, feature: str) -> bool:
    """Say whether a value can stand for a thing: a short text, or a whole number under a name that says so."""
    if type(value) is str:
        return feature[0] != "." or (len(value) <= LONGEST_KEY and not value.startswith("\0"))
    return type(value) is int and (feature[0] == "@" or names_a_thing(feature))


def _may_be_decided(feature: str, key: str) -> bool:
    return feature != key and feature[0] not in "@$%<>~" and not (key == "@" and feature[0] == "+")


_NO_KEYS = ("None", "''", "True", "False")


def _groups(rows: Rows, column: _Column, key: str) -> list[list[int]]:
    """Return the records that share a key, where more than one task showed it."""
    by_key: dict[str, list[int]] = {}
    for index, value in column.items():
        if value not in _NO_KEYS and _identifies(rows[index][0][key], key):
            by_key.setdefault(value, []).append(index)
    return [
        group
        for group in by_key.values()
        if rows[group[0]][1].second != NO_TASK or len({rows[index][1].first for index in group}) > 1
    ]


def _decides(groups: list[list[int]], column: _Column) -> bool:
    """Say whether records of one key agree on a feature, in all groups but few."""
    allowed = len(groups) // ONE_ODD_IN
    for group in groups:
        if len(group) > 1 and len({column[index] for index in group if index in column}) > 1:
            if not allowed:
                return False
            allowed -= 1
    return True


@dataclass(slots=True)
class _Known:
    """What the records of each key say of a feature."""

    records: list[dict[str, Any]] = field(default_factory=list)
    """One of each key whose records all agree."""
    overall: Counter[str] = field(default_factory=Counter)
    """For how many keys a value is the common one."""
    repeats: int = 0
    """How often a task could have contradicted another."""
    fired: dict[int, int] = field(default_factory=dict)
    """The tasks that did."""


def _known(rows: Rows, groups: list[list[int]], column: _Column) -> _Known:
    """Sum up the keys that more than one task showed together with the feature."""
    known = _Known()
    for group in groups:
        present = [index for index in group if index in column]
        behind = tasks_behind(rows[index][1] for index in present)
        if len(behind) > 1:
            known.repeats += len(behind) - 1
            _sum_up(known, rows, present, column)
    return known


def _sum_up(known: _Known, rows: Rows, records: list[int], column: _Column) -> None:
    values = {column[index] for index in records}
    if len(values) == 1:
        # By far the most common case, and this is the innermost loop of mining.
        known.overall[values.pop()] += 1
        known.records.append(rows[records[0]][0])
        return
    counts = Counter(column[index] for index in records)
    common = max(sorted(counts), key=counts.__getitem__)
    known.overall[common] += 1
    for index in records:
        if column[index] != common:
            witness = rows[index][1]
            known.fired[witness.first] = known.fired.get(witness.first, 0) + witness.calls
