"""Recorded calls before a monitor, in order, each in the session that it is part of."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from outcome_monitors.alerting.policy import Policies, alert_never
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.features.walk import task_name
from outcome_monitors.model import Broken, Call, Outcome

from .failures import quiet
from .monitor import Monitor
from .session import Session

OPEN_SESSIONS = 4096
"""Sessions whose calls may be interleaved; those not heard of for longest are closed first."""


class Replay:
    """The sessions that are open."""

    def __init__(self, monitor: Monitor) -> None:
        self._monitor = monitor
        self._open: OrderedDict[str, Session] = OrderedDict()
        self._positions: dict[Session, list[int]] = {}
        """The places, among all calls, of those of each session."""
        self._calls = 0

    def session(self, call: Call) -> Session:
        """Return the session of a call; a call without one is a session of its own."""
        if call.session is None:
            return self._monitor.session(task_name(call))
        session = self._open.pop(call.session, None) or self._monitor.session()
        session.task = session.witness = task_name(call)
        self._open[call.session] = session
        if len(self._open) > OPEN_SESSIONS:
            self._positions.pop(self._open.popitem(last=False)[1], None)
        return session

    def judge(self, call: Call, policies: Policies = alert_never) -> Outcome:
        """Return what became of a call; one that failed openly is not checked itself.

        What a violation is `about` is the place of that call among all that were judged.
        """
        session = self.session(call)
        monitor = self._monitor
        positions = self._positions.setdefault(session, []) if call.session is not None else []
        positions.append(self._calls)
        self._calls += 1
        covered = call.error or monitor.covers(call.tool, call.result)
        if not covered and not monitor.built_in:
            session.skip(call.tool)
            return Outcome(call.tool, "no contract")
        outcome = session.judge(
            call.tool,
            call.arguments,
            call.result,
            call.tools,
            policies=policies,
            when=_when(call),
            failed_openly=call.error,
            covered=covered,
        )
        if all(violation.about is None for _, violation in outcome.broken):
            return outcome
        return replace(
            outcome,
            broken=_placed(outcome.broken, positions),
            proven=_placed(outcome.proven, positions),
        )


def _placed(broken: Broken, positions: Sequence[int]) -> Broken:
    """Return violated clauses about calls of a session as about those calls among all."""
    return tuple(
        [
            (clause, one if one.about is None else replace(one, about=positions[one.about]))
            for clause, one in broken
        ]
    )


def _when(call: Call) -> str:
    """Return when a call was made, as its trace says."""
    time = call.extra.get("time")
    return time if isinstance(time, str) else ""


def outcomes(calls: Iterable[Call], registry: Registry) -> Iterator[tuple[Call, Outcome]]:
    """Yield each call with what became of it; nobody is told."""
    replay = Replay(Monitor(registry))
    with quiet():
        for call in calls:
            yield call, replay.judge(call)
