"""`required_members`: what an answer has always had is in it: the channels there are, the orders of a user, each of the things asked for by name.

Of a question, or of a thing, it knows the members that every clean answer listed, whatever else came and went: a list that grows is
right, and one that is cut short is not. Where a list of things is asked for, it knows which of them have always been answered.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from outcome_monitors.features.aggregates import members as named_by, naming_field
from outcome_monitors.features.feature import ABSENT, Feature, Sort, is_answer
from outcome_monitors.features.field_names import is_moment, is_state
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import below, each_item, select
from outcome_monitors.model import Clause, Json, Violation
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.samples import tasks_behind
from outcome_monitors.rules.evidence.table import Column, Table

from .base.kind import Candidate
from .base.record import Fault, Get, RecordKind, described, finest, is_feature, is_of, of_one_thing, tables_of
from .base.support import of_moments
from .base.traits import Cause, Drift, Mining, Traits
from .config import CONFIG

QUESTION = Sort.ARGUMENTS.of()
"""All arguments together."""


class RequiredMembers(RecordKind):
    """The list has all that it always had for its key."""

    name = "required_members"
    code = "known_member_missing"
    cause = Cause.DENIES_FACTS
    traits = Traits(
        about="record",
        change="is no longer whole ({novel})",
        drift=Drift.LISTED,
        of_the_data=True,
        of_the_day=True,
        discreet=True,
    )
    mining = Mining(budget_weight=3.0, judged="field", lasting=True)
    identity = ("key", "field")
    wrong = "{field} lack what {key} always came with"
    params = {
        "key": is_feature,
        "field": lambda v: is_of(v, Sort.MEMBERS),
        "core": lambda v: isinstance(v, dict) and bool(v) and all(map(_are_members, v.values())),
    }

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest what each list always had, for what was asked and for the thing that it is of."""
        for path, table in tables_of(evidence):
            lists = [name for name in table.columns if name.sort is Sort.MEMBERS and _lasts(name)]
            keys = _keys(table, path) if lists else []
            for name in lists:
                most = 0
                for key in keys:
                    if not of_one_thing(key, name):
                        continue
                    known = _known(table, table.columns[key], table.columns[name], evidence.tasks(path))
                    # What was asked mostly says which thing it is about: one of the two is enough.
                    if len(known.core) <= most or known.repeats < CONFIG.members_surprise:
                        continue
                    if not of_moments(table, known.groups):
                        most = len(known.core)
                        yield self._of(path, key, name, known, evidence.tasks(path))

    def _of(self, path: str, key: Feature, name: Feature, known: "_Cores", tasks: int) -> Candidate:
        core = dict(sorted(known.core.items())[: CONFIG.members_keys])
        params = {"key": str(key), "field": str(name), "core": core}
        clause = Clause(self.name, path, params, known.repeats + len(known.core), tasks, "traces")
        sort = "question" if key == QUESTION else "asked for" if key.sort.of_call else ""
        return Candidate(clause, "", known.fired, entities=len(known.core), sort=sort)

    def broken(self, params: Mapping[str, Json]) -> Callable[..., Fault | None]:
        name, core = params["field"], _sets(params)

        def broken(key: Any, found: Any) -> Fault | None:
            wanted = [known for one in _each(key) if (known := core.get(one)) is not None]
            if not wanted or found is ABSENT:
                return None
            missing = sorted(frozenset().union(*wanted).difference(found))
            return (name, missing, "missing") if missing else None

        return broken

    def check(self, clause: Clause, arguments: Mapping[str, Json], result: Json) -> Iterator[Violation]:
        """Yield each list that is not whole; where rows that nobody knows stand in it, by the field that names rows."""
        known = {member for core in clause.params["core"].values() for member in core}
        for violation in super().check(clause, arguments, result):
            rows = next((value for _, value in select(result, violation.path)), None)
            name = naming_field(rows)
            if name is None or known.issuperset(named_by(rows) or ()):
                yield violation
            else:
                yield replace(violation, path=below(each_item(violation.path), name))

    def compared(self, clause: Clause, get: Get, expected: Json, observed: Json) -> tuple[Json, Json]:
        """Name the first thing that was asked for and is missing; of what others were told, say how much is."""
        asked = {*_each(get(clause.params["key"]))}
        shown = [member for member in expected if member in asked]
        if not shown:
            return f"all {described(clause.params['field'])} that are known", f"{len(expected)} missing"
        more = f" and {len(expected) - 1} more" if len(expected) > 1 else ""
        return clip(f"{shown[0]}{more}"), observed

    def novel_value(self, violation: Violation) -> str:
        return f"{violation.expected}: {violation.observed}"

    def can_judge(self, params: Mapping[str, Json], values: Any) -> bool:
        return any(one in params["core"] for one in _each(values[0]))

    def knows(self, clause: Clause, arguments: Mapping[str, Json], argument: str) -> bool:
        if clause.params["key"] != f"{Sort.ARGUMENT.sigil}{argument}":
            return False
        return any(one in clause.params["core"] for one in _each(arguments.get(argument)))

    def texts(self, params: Mapping[str, Json]) -> Iterator[tuple[str | None, str]]:
        for key, members in params["core"].items():
            yield params["key"], key
            yield from ((params["field"], member) for member in members)

    def explain(self, clause: Clause) -> str:
        params = clause.params
        return f"{described(params['field'])} are at least those known for {described(params['key'])} ({len(params['core'])} known)"


def _sets(params: Mapping[str, Json]) -> dict[str, frozenset[str]]:
    return {known: frozenset(members) for known, members in params["core"].items()}


def _are_members(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(member, str) for member in value)


def _lasts(name: Feature) -> bool:
    return not is_state(name.path) and not is_moment(name.path)


def _keys(table: Table, path: str) -> list[Feature]:
    """Return what a list may be known for: all that was asked, each of the things asked for, or the thing that the record is."""
    own = [name for name in table.columns if name.sort is Sort.KEY] + finest(table)
    if not is_answer(path):
        return own
    several = [
        name
        for name, column in table.columns.items()
        if name.sort.is_argument and any(type(value) is tuple for value in column.values)
    ]
    # Where a private argument was taken out of every call, nobody knows what was asked.
    return [*several, *([QUESTION] if QUESTION in table.columns else []), *own]


def _each(value: Any) -> tuple[str, ...]:
    """Return a key as contract files have it, or each of several."""
    if type(value) in (tuple, list):
        return tuple(item for item in value if type(item) is str)
    if type(value) is str:
        return (value,) if 0 < len(value) <= CONFIG.max_key_length else ()
    return (repr(value),) if type(value) is int else ()


@dataclass(slots=True)
class _Cores:
    """What the lists of each key have in common."""

    core: dict[str, list[str]] = field(default_factory=dict)
    groups: list[list[int]] = field(default_factory=list)
    repeats: int = 0
    """How often a task could have shown otherwise."""
    fired: dict[int, int] = field(default_factory=dict)
    """The tasks that alone did."""


def _known(table: Table, keys: Column, lists: Column, of_all: int) -> _Cores:
    by_key: dict[str, list[int]] = {}
    several = False
    for index, (key, members) in enumerate(zip(keys.values, lists.values, strict=True)):
        if members is not ABSENT:
            several = several or type(key) is tuple
            for one in _each(key):
                by_key.setdefault(one, []).append(index)
    known = _Cores()
    for key, records in by_key.items():
        # A record names two of its tasks; how many stand behind all of them is known.
        alone = len(records) == lists.having.bit_count()
        tasks = of_all if alone else len(tasks_behind(table.witnesses[index] for index in records))
        if tasks > 1:
            _join(known, key, records, table, lists, itself=several)
            if key in known.core:
                known.repeats += tasks - 1
    return known


def _join(known: _Cores, key: str, records: list[int], table: Table, lists: Column, *, itself: bool) -> None:
    """Add what the records of one key have in common; of several things that were asked for, each stands for itself."""
    found = [frozenset(lists.values[index]) for index in records]
    candidates = {key} if itself else frozenset().union(*found)
    core = []
    for member in sorted(candidates):
        lacking = [index for index, members in zip(records, found, strict=True) if member not in members]
        if not lacking:
            core.append(member)
            continue
        tasks = tasks_behind(table.witnesses[index] for index in lacking)
        if len(tasks) == 1 and len(lacking) < len(records):
            (task,) = tasks
            known.fired[task] = max(known.fired.get(task, 0), sum(table.witnesses[i].calls for i in lacking))
    if core:
        known.core[key] = core
        known.groups.append(records)
