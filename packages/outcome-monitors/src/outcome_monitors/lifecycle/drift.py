"""Drift: whether a batch of results still matches the contracts.

The results are replayed through the change test that decides on live alerts (`alerting.changes`). A change that it has found and that
has not been reverted by the last result is drift; every other violation is a fault.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.alerting.changes import ObservedDrift, questions
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.contracts.identity import address
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.features.walk import task_hash
from outcome_monitors.model import Call, Clause, Outcome
from outcome_monitors.reports import count
from outcome_monitors.rules import explain


@dataclass(frozen=True, slots=True)
class ClauseDrift:
    """A clause that results violated."""

    address: str
    words: str
    verdict: str
    """`drift` or `faults`."""
    tasks: int
    """Tasks with a violation."""
    first: int
    """The number of the first call that violated it."""


@dataclass(frozen=True, slots=True)
class ToolDrift:
    """The verdict on one tool."""

    tool: str
    verdict: str
    """`drift`, `faults`, `holds`, or `not called`."""
    sentence: str
    since: str
    """When the drift began: a time, or the number of a call where the traces have no times; empty without drift."""
    calls: int
    tasks: int
    flagged: int
    clauses: tuple[ClauseDrift, ...] = ()
    """The violated ones, those that drift first."""


def drift(calls: Iterable[Call], registry: Registry) -> list[ToolDrift]:
    """Return the verdict on each tool that has a contract; calls are in the order in which they were made."""
    policy, replay = AlertPolicy(), Replay(Monitor(registry))
    records = {tool: _Record() for tool in sorted(registry.contracts)}
    with quiet():
        for call in calls:
            outcome = replay.judge(call, [policy])
            if call.tool in records and not call.error:
                records[call.tool].add(call, outcome)
    changes = policy.changes.changes()
    return [
        _verdict(tool, record, {one.address: one for one in changes if one.tool == tool})
        for tool, record in records.items()
    ]


@dataclass(slots=True)
class _Violated:
    """A clause, and the calls that violated it."""

    clause: Clause
    first: int
    tasks: set[int] = field(default_factory=set)


@dataclass(slots=True)
class _Record:
    """The calls of one tool."""

    calls: int = 0
    flagged: int = 0
    tasks: set[int] = field(default_factory=set)
    outage: str = ""
    """Since when no result could be used, up to the last."""
    violated: dict[str, _Violated] = field(default_factory=dict)
    """By the address of the clause."""

    def add(self, call: Call, outcome: Outcome) -> None:
        """Count a call."""
        task = task_hash(call)
        self.calls += 1
        self.flagged += bool(outcome.broken)
        self.tasks.add(task)
        self.outage = outcome.since
        for clause, _ in outcome.broken:
            found = self.violated.setdefault(address(call.tool, clause), _Violated(clause, self.calls))
            found.tasks.add(task)


def _verdict(tool: str, record: _Record, changes: Mapping[str, ObservedDrift]) -> ToolDrift:
    clauses = [
        ClauseDrift(
            name, explain(one.clause), "drift" if name in changes else "faults", len(one.tasks), one.first
        )
        for name, one in record.violated.items()
    ]
    clauses.sort(key=lambda one: (one.verdict, -one.tasks, one.address))
    called = f"{count(record.calls, 'call')} in {count(len(record.tasks), 'task')}"
    verdict, since = "holds", ""
    sentence = f"No violation in {called}."
    if not record.calls:
        verdict, sentence = "not called", "It was not called."
    elif changes:
        verdict = "drift"
        since = min((one.first for one in changes.values() if one.first), default="") or _first_call(clauses)
        said = " ".join(
            question.sentence().removesuffix("; accept?") for question in questions(changes.values())
        )
        sentence = (
            f"{said}. If that is correct, mine again from traces since {since}; if not, repair the tool."
        )
    elif record.flagged:
        lasting = f"no usable result since {record.outage}" if record.outage else "without a lasting change"
        verdict, sentence = "faults", f"{record.flagged:,} of {called} violate a clause, {lasting}."
    return ToolDrift(
        tool, verdict, sentence, since, record.calls, len(record.tasks), record.flagged, tuple(clauses)
    )


def _first_call(clauses: Iterable[ClauseDrift]) -> str:
    return f"call {min(one.first for one in clauses if one.verdict == 'drift')}"
