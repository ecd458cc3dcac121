"""`functional_dependency`: what an identity is known to come with: a product its name, a city its country, the same arguments the same answer.

Mined where one feature decides another (a functional dependency), and kept as the pairs that more than one task showed. Of
identities that were never seen it says nothing, nor of what is state: what has another value at another time (`base.support`).
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from outcome_monitors.features.aggregates import digest
from outcome_monitors.features.feature import ABSENT, Feature, Sort, is_answer, is_hashed, normal_form
from outcome_monitors.features.field_names import names_a_thing
from outcome_monitors.features.reader import reader
from outcome_monitors.jsonvalue.display import clip, clip_text
from outcome_monitors.model import Clause, Json
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import NO_TASK, Witness, tasks_behind
from outcome_monitors.rules.evidence.table import Table, members, set_of

from .base.kind import Candidate, witnesses
from .base.record import (
    Fault,
    Get,
    RecordKind,
    described,
    is_feature,
    is_of,
    of_one_thing,
    tables_of,
    written,
)
from .base.support import counts_asked_for, has_times, lasts, of_moments
from .base.traits import Cause, Mining, Traits
from .config import CONFIG

QUESTION = Sort.ARGUMENTS.of()
"""All arguments together."""


def _follows(clause: Clause, taken: Sequence[Clause]) -> bool:
    """Say whether what all arguments decide, one of them does: then no others were given."""
    field, facts = clause.params["field"], clause.params["facts"]
    if clause.params["key"] != QUESTION:
        return False
    one_of_them = (one.params for one in taken if one.params["field"] == field)
    return any(_by_argument_alone(facts, params) for params in one_of_them)


class FunctionalDependency(RecordKind):
    """The feature has the value that its key is known to come with."""

    name = "functional_dependency"
    code = "known_fact_contradicted"
    cause = Cause.DENIES_FACTS
    traits = Traits(about="record", of_the_data=True, corroborates=True, of_the_day=True, discreet=True)
    mining = Mining(budget_weight=3.0, pools=True, judged="field", lasting=True, follows=_follows)
    identity = ("key", "field")
    wrong = "{field} is not what {key} is known to come with"
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
        for path, table in tables_of(evidence):
            columns = _columns(table)
            lasting = [name for name in columns if lasts(name, table)]
            # What one argument decides is told before what all of them do.
            for key in sorted(columns, key=QUESTION.__eq__):
                records = _by_key(table, columns[key], key) if _may_be_key(key, path, table) else []
                groups = _groups(table, records)
                if (
                    len(groups) < (1 if key == QUESTION else CONFIG.dependency_keys)
                    or _repeats(groups) < CONFIG.dependency_surprise
                ):
                    continue
                repeated = [alike for alike in records if len(alike) > 1]
                if of_moments(table, [records for records, _ in groups]):
                    continue
                grouped = set_of((index for records, _ in groups for index in records), len(table.witnesses))
                counts = (
                    counts_asked_for(table, [records for records, _ in groups]) if key == QUESTION else []
                )
                for name in (*lasting, *counts):
                    column = columns[name]
                    shown = (table.columns[name].having & grouped).bit_count() >= CONFIG.dependency_records
                    if (
                        shown
                        and name != key
                        and of_one_thing(key, name)
                        and _decides(groups, repeated, column)
                    ):
                        known = _known(table, groups, column)
                        candidate = self._of(path, key, name, known, table, evidence.tasks(path))
                        if candidate is not None:
                            yield candidate

    def _of(
        self, path: str, key: Feature, name: Feature, known: "_Known", table: Table, tasks: int
    ) -> Candidate | None:
        shown = sum(known.overall.values())
        # The same question has the same answer: that needs no variety to be no accident.
        if key != QUESTION and (len(known.records) < CONFIG.dependency_keys or len(known.overall) < 2):
            return None
        alike = 0 if key == QUESTION else max(known.overall.values(), default=0) / shown
        if not known.records or known.repeats * (1 - alike) < CONFIG.dependency_surprise:
            return None
        keys, values = table.columns[key].values, table.columns[name].values
        facts = {str(_key_as_written(keys[index])): values[index] for index in known.records}
        params = {
            "key": str(key),
            "field": str(name),
            "facts": dict(sorted(facts.items())[: CONFIG.dependency_pairs]),
        }
        clause = Clause(self.name, path, params, known.repeats + shown, tasks, "traces")
        return Candidate(clause, "", known.fired, entities=shown, sort="question" if key == QUESTION else "")

    def fires(self, clause: Clause, evidence: Evidence) -> Mapping[int, int]:
        table = evidence.table(clause.path) if clause.path in evidence.records else Table(())
        key, name = map(Feature.parse, self.features(clause.params))
        facts = clause.params["facts"]
        if not {key, name} <= table.columns.keys():
            return {}
        keys, found = table.columns[key], table.columns[name]
        known = (
            (index, facts.get(_key_as_written(keys.values[index]), ABSENT))
            for index in members(keys.having & found.having)
        )
        return witnesses(
            table.witnesses[index]
            for index, fact in known
            if fact is not ABSENT and found.values[index] != fact
        )

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        field, facts = params["field"], params["facts"]

        def broken(key: Any, found: Any) -> Fault | None:
            known = facts.get(_key_as_written(key), ABSENT)
            if (
                known is ABSENT
                or found is ABSENT
                or isinstance(found, (dict, list))
                or normal_form(found) == known
            ):
                return None
            return field, known, found if isinstance(found, str) else normal_form(found)

        return broken

    def compared(self, clause: Clause, get: Get, expected: Json, observed: Json) -> tuple[Json, Json]:
        """Say of what is known by its hash alone, or not for others to see, for which key it is known."""
        key, field = self.features(clause.params)
        if not is_hashed(expected) and self.public(clause.params):
            return super().compared(clause, get, expected, observed)
        known = _unquoted(clause.params)
        named = known if key == QUESTION else f"{known} {written(get, key)}"
        return clip(named), written(get, field) if is_hashed(observed) else clip(observed)

    def agreement(self, clause: Clause, get: Get) -> str:
        key, field = self.features(clause.params)
        known = clause.params["facts"].get(_key_as_written(get(key)))
        shown = repr(clip(known)) if self.public(clause.params) and not is_hashed(known) else "as it is known"
        return f"{described(field)} {shown} for {described(key)} {written(get, key)}"

    def knows(self, clause: Clause, arguments: Mapping[str, Json], argument: str) -> bool:
        key = clause.params["key"]
        if key not in (QUESTION, f"{Sort.ARGUMENT.sigil}{argument}"):
            return False
        return _key_as_written(reader(key)(None, arguments, "")) in clause.params["facts"]

    def can_judge(self, params: Mapping[str, Json], values: Sequence[Any]) -> bool:
        return str(values[0]) in params["facts"]

    def withheld(self, params: Mapping[str, Json]) -> str:
        return clip_text(_unquoted(params))

    def texts(self, params: Mapping[str, Json]) -> Iterator[tuple[str | None, str]]:
        for key, value in params["facts"].items():
            yield params["key"], key
            if isinstance(value, str):
                yield params["field"], value

    def explain(self, clause: Clause) -> str:
        params = clause.params
        return (
            f"{described(params['key'])} decides {described(params['field'])} ({len(params['facts'])} known)"
        )


def _unquoted(params: Mapping[str, Json]) -> str:
    """Name what is expected, where its value is not for others to see."""
    return f"the {described(params['field'])} known for {described(params['key'])}"


def _by_argument_alone(facts: Mapping[str, Json], params: Mapping[str, Json]) -> bool:
    """Say whether facts by all arguments are those by one that was given alone."""
    if not is_of(params["key"], Sort.ARGUMENT) or len(facts) > len(params["facts"]):
        return False
    name = Feature.parse(params["key"]).path
    alone = {
        _alone(name, key): fact
        for written, fact in params["facts"].items()
        for key in ((written, int(written)) if _is_whole(written) else (written,))
    }
    return all(question in alone and alone[question] == fact for question, fact in facts.items())


@lru_cache(maxsize=4096)
def _alone(name: str, value: str | int) -> str:
    return digest({name: value})


_Written = list[str | None]
"""A feature's value in every record, written out so that values can be compared; None where it has none."""


def _columns(table: Table) -> dict[Feature, _Written]:
    """Return the features that vary."""
    columns = {name: _write(column.values) for name, column in table.columns.items()}
    return {name: column for name, column in columns.items() if len(set(column) - {None}) > 1}


def _write(values: list[Any]) -> _Written:
    return [None if value is ABSENT or type(value) is tuple else repr(value) for value in values]


def _may_be_key(feature: Feature, path: str, table: Table) -> bool:
    """Say whether a feature may name a thing; a moment names none, since two mails may come in one minute."""
    if feature.sort.of_call:
        # An argument decides the answer as a whole, not its rows one by one.
        return is_answer(path) and (feature == QUESTION or feature.sort.is_argument)
    return feature.sort is Sort.KEY or (feature.sort is Sort.FIELD and not has_times(feature, table))


def _identifies(value: Any, feature: Feature) -> bool:
    """Say whether a value can stand for a thing: a short text, or a whole number under a name that says so."""
    if type(value) is str:
        return feature.sort is not Sort.FIELD or (
            len(value) <= CONFIG.max_key_length and not value.startswith("\0")
        )
    return type(value) is int and (feature.sort.of_call or names_a_thing(feature))


_NO_KEYS = ("None", "''", "True", "False")


class _FactGroup(NamedTuple):
    """The records that share a key, and how many tasks stand behind them."""

    records: list[int]
    tasks: int


def _by_key(table: Table, column: _Written, key: Feature) -> list[list[int]]:
    """Return the records that share a key, those of each key together."""
    values = table.columns[key].values
    by_key: dict[str | None, list[int]] = {}
    for index, value in enumerate(column):
        found = by_key.get(value)
        if found is None:
            by_key[value] = [index]
        else:
            found.append(index)
    # Values that are written alike are alike.
    return [
        records
        for value, records in by_key.items()
        if value is not None and value not in _NO_KEYS and _identifies(values[records[0]], key)
    ]


def _groups(table: Table, by_key: list[list[int]]) -> list[_FactGroup]:
    """Return the records that share a key, where more than one task showed it."""
    witnesses = table.witnesses
    return [
        _FactGroup(records, _tasks(records, witnesses))
        for records in by_key
        if witnesses[records[0]].second != NO_TASK or len({witnesses[index].first for index in records}) > 1
    ]


def _tasks(records: list[int], witnesses: list[Witness]) -> int:
    """Return how many tasks stand behind records; mostly there is one record, or none."""
    if len(records) == 1:
        return 1 if witnesses[records[0]].second == NO_TASK else 2
    return len(tasks_behind(witnesses[index] for index in records))


def _repeats(groups: list[_FactGroup]) -> int:
    """Return how often a task could have contradicted another, on a feature that all records have."""
    return sum(tasks - 1 for _, tasks in groups)


def _decides(groups: list[_FactGroup], repeated: list[list[int]], column: _Written) -> bool:
    """Say whether records of one key agree on a feature, in all groups but few."""
    allowed = len(groups) // CONFIG.dependency_one_odd_in
    for records in repeated:
        if len({column[index] for index in records} - {None}) > 1:
            if not allowed:
                return False
            allowed -= 1
    return True


@dataclass(slots=True)
class _Known:
    """What the records of each key say of a feature."""

    records: list[int] = field(default_factory=list)
    """One of each key whose records all agree."""
    overall: Counter[str | None] = field(default_factory=Counter)
    """For how many keys a value is the common one."""
    repeats: int = 0
    """How often a task could have contradicted another."""
    fired: dict[int, int] = field(default_factory=dict)
    """The tasks that did."""


def _known(table: Table, groups: list[_FactGroup], column: _Written) -> _Known:
    """Sum up the keys that more than one task showed together with the feature."""
    known = _Known()
    agreed: list[str | None] = []
    for records, tasks in groups:
        present = [index for index in records if column[index] is not None]
        if len(present) < len(records):
            tasks = _tasks(present, table.witnesses) if present else 0  # noqa: PLW2901 - of those that have the feature
        if tasks < 2:
            continue
        known.repeats += tasks - 1
        if len(present) == 1 or len({column[index] for index in present}) == 1:
            # By far the most common case, and this is the innermost loop of mining.
            agreed.append(column[present[0]])
            known.records.append(present[0])
        else:
            agreed.append(_odd(known, table, present, column))
    known.overall.update(agreed)
    return known


def _odd(known: _Known, table: Table, records: list[int], column: _Written) -> str | None:
    """Note the tasks that contradict the common value of a key; return that value."""
    counts = Counter(column[index] for index in records)
    common = max(sorted(counts, key=str), key=counts.__getitem__)
    for index in records:
        if column[index] != common:
            witness = table.witnesses[index]
            known.fired[witness.first] = known.fired.get(witness.first, 0) + witness.calls
    return common


_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,999}")


def _is_whole(key: str) -> bool:
    """Say whether a key of a contract file may stand for a whole number."""
    return _WHOLE_NUMBER.fullmatch(key) is not None


def _key_as_written(identity: Any) -> str | None:
    """Return a key as a contract file can hold it; None of what is neither a text nor a whole number."""
    if type(identity) is str:
        return identity
    number = normal_form(identity)
    return repr(number) if type(number) is int else None
