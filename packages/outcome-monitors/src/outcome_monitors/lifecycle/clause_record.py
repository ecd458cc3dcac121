"""What today's calls did to each clause of a tool, in the order of time.

Of a tool that is called very often, calls spread evenly over all of them are looked at, so that memory has a bound.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC

from outcome_monitors.checking.replay import outcomes
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.features.feature import ABSENT
from outcome_monitors.features.reader import reader
from outcome_monitors.features.walk import task_hash
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import select
from outcome_monitors.jsonvalue.times import when
from outcome_monitors.model import Broken, Call, Clause, Json
from outcome_monitors.rules import KINDS, own_place
from outcome_monitors.rules.base.record import RecordKind
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.evidence.tasks import Tasks, count_tasks, join_tasks

__all__ = ["Applies", "Break", "ClauseRecord", "ToolRecord", "applies", "records"]

SILENT, HELD, BROKEN = 0, 1, 2
"""What a call did to a clause: nothing that it could judge, or what it demands, or not."""
MOST_SHOWN = 60
MOST_CALLS = 5000
"""Calls of one tool that are looked at; where there are more, between half of that and so many."""
_WHOLE = 2**32
_GOLDEN = 2654435769
"""`_WHOLE` over the golden ratio: multiples of it are spread evenly, also those of every second or every tenth call."""

Applies = Callable[[Mapping[str, Json], Json], bool]
"""Says whether a call gives a clause something to judge."""


def applies(clause: Clause) -> Applies:
    """Return the test of whether a clause has something to judge; of what a session remembers it is always true."""
    kind = KINDS[clause.kind]
    if isinstance(kind, SessionKind):
        return lambda _arguments, _result: True
    if not isinstance(kind, RecordKind):
        path = kind.stands_at(clause.path)
        return lambda _arguments, result: next(select(result, path), None) is not None
    features = [reader(feature) for feature in kind.wanted(clause.params)]

    def test(arguments: Mapping[str, Json], result: Json) -> bool:
        for place, record in select(result, clause.path):
            values = [feature(record, arguments, place) for feature in features]
            if all(value is not ABSENT for value in values) and kind.can_judge(clause.params, values):
                return True
        return False

    return test


@dataclass(frozen=True, slots=True)
class Break:
    """A call that breaks a clause."""

    place: int
    """Which of the calls looked at it is."""
    observed: str
    news: str
    """What of it is new: the same in many tasks is a change."""
    beside: int
    """Places of the result that are broken beside this one."""


@dataclass(slots=True)
class ClauseRecord:
    """One clause, and what each call did to it."""

    clause: Clause
    applies: Applies
    states: bytearray = field(default_factory=bytearray)
    breaks: list[Break] = field(default_factory=list)


@dataclass(slots=True)
class ToolRecord:
    """One tool, and in order those of its calls that are looked at."""

    tool: str
    clauses: list[ClauseRecord]
    tasks: list[int] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    """When each call was; empty where the trace does not say."""
    numbers: list[int] = field(default_factory=list)
    """Which of all the tool's calls each is, from 0."""
    calls: int = 0
    """All of them,"""
    flagged: int = 0
    """and those that break something."""
    _all_tasks: Tasks = field(default_factory=set)
    _share: int = _WHOLE

    def add(self, call: Call, broken: Broken) -> None:
        """Note one call."""
        number, task = self.calls, task_hash(call)
        self.calls += 1
        self.flagged += bool(broken)
        join_tasks(self._all_tasks, [task])
        if self._looks_at(number):
            self._look(call, broken)
            self.tasks.append(task)
            self.times.append(_time(call))
            self.numbers.append(number)
        if len(self.numbers) > MOST_CALLS:
            self._share //= 2
            self.select([place for place, number in enumerate(self.numbers) if self._looks_at(number)])

    def number_of_tasks(self) -> int:
        """Return in how many tasks it was called; an estimate where not all calls are looked at."""
        return len(set(self.tasks)) if len(self.tasks) == self.calls else count_tasks(self._all_tasks)

    def select(self, places: Sequence[int]) -> None:
        """Keep the calls at these places, in this order."""
        now = {before: after for after, before in enumerate(places)}
        self.tasks = [self.tasks[place] for place in places]
        self.times = [self.times[place] for place in places]
        self.numbers = [self.numbers[place] for place in places]
        for clause in self.clauses:
            clause.states = bytearray(clause.states[place] for place in places)
            kept = (replace(found, place=now[found.place]) for found in clause.breaks if found.place in now)
            clause.breaks = sorted(kept, key=lambda found: found.place)

    def _looks_at(self, number: int) -> bool:
        return number * _GOLDEN % _WHOLE < self._share

    def _look(self, call: Call, broken: Broken) -> None:
        violations = {id(clause): violation for clause, violation in broken}
        places = {own_place(clause, violation) for clause, violation in broken}
        for record in self.clauses:
            clause, violation = record.clause, violations.get(id(record.clause))
            if violation is None:
                record.states.append(HELD if _applies(record, call) else SILENT)
                continue
            observed = clip_text(str(violation.observed), MOST_SHOWN)
            news = clip_text(KINDS[clause.kind].novel_value(violation), MOST_SHOWN)
            beside = len(places - {own_place(clause, violation)})
            record.breaks.append(Break(len(self.tasks), observed, news, beside))
            record.states.append(BROKEN)


def records(calls: Iterable[Call], registry: Registry) -> Mapping[str, ToolRecord]:
    """Check calls, and return what became of each tool that has a contract, called or not."""
    tools = {
        tool: ToolRecord(tool, [ClauseRecord(clause, applies(clause)) for clause in contract.clauses])
        for tool, contract in sorted(registry.contracts.items())
    }
    for call, outcome in outcomes(calls, registry):
        if call.tool in tools and not call.error:
            tools[call.tool].add(call, outcome.broken)
    for record in tools.values():
        # Where one call has no time, all stand as they were read.
        if all(record.times):
            record.select(sorted(range(len(record.times)), key=record.times.__getitem__))
        else:
            record.times = [""] * len(record.times)
    return tools


def _applies(record: ClauseRecord, call: Call) -> bool:
    try:
        return record.applies(call.arguments, call.result)
    except Exception:  # noqa: BLE001 - a result of any shape may come; what cannot be asked says nothing
        return False


def _time(call: Call) -> str:
    """Return the time of a call in one form, which sorts as it passes; nothing where it has none."""
    moment = when(call.extra.get("time"))
    try:
        aware = moment and (moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC))
    except OverflowError:
        return ""
    return aware.strftime("%Y-%m-%dT%H:%M:%SZ") if aware else ""
