"""The work of `check`: every call of the traces against the contracts that may judge it."""

import logging
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.session import Session
from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Call, Violation
from outcome_monitors.recovery.relations import Relations, admissible
from outcome_monitors.traces.reader import Located, Skipped

__all__ = ["Checked", "MonitorOf", "Tally", "check_all", "monitor_of"]

MonitorOf = Callable[[Call], Monitor]
"""Gives the monitor that may judge a call."""

Change = Callable[[Registry], Registry]

OPEN_SESSIONS = 4096
"""Sessions whose calls may be interleaved in the traces; those not heard of for longest are closed first."""


class Checked(NamedTuple):
    """One call, and what was found in its result."""

    position: int
    """Its place among the calls read, over all files; lines that are no call do not count."""
    located: Located
    covered: bool
    violations: tuple[Violation, ...]
    recovery: tuple[str, ...]
    failure: str
    """Why the result was not checked, or not in full; empty where it was."""
    failed_openly: bool
    """The call says so itself: there is no result to check."""


@dataclass(slots=True)
class Tally:
    """What became of all calls."""

    calls: int = 0
    checked: int = 0
    flagged: int = 0
    failed_openly: int = 0
    could_not: int = 0
    not_covered: Counter[str] = field(default_factory=Counter)
    """Calls without a contract, by tool."""
    with_alternative: int = 0
    """Flagged results whose receipt names at least two admissible actions."""
    skipped: list[Skipped] = field(default_factory=list)
    """Lines that are no call."""

    def add(self, checked: Checked) -> None:
        """Count one call."""
        self.calls += 1
        if checked.failed_openly:
            self.failed_openly += 1
        elif not checked.covered:
            self.not_covered[checked.located.call.tool] += 1
        elif checked.failure:
            self.could_not += 1
        else:
            self.checked += 1
        if checked.violations:
            self.flagged += 1
            self.with_alternative += len(checked.recovery) >= 2


def _as_it_is(registry: Registry) -> Registry:
    return registry


def monitor_of(
    contracts: str | None,
    folds: str | None,
    change: Change = _as_it_is,
    relations: Relations | None = None,
) -> MonitorOf:
    """Return what picks the monitor of a call; `change` is done to all contracts first.

    A task that a fold index knows is judged by the registry that never saw it, any other by the contracts, or, without
    any, by the registry of the fold it would have had.
    """
    whole = load_contracts(contracts) if contracts is not None else None
    index = FoldIndex.load(folds) if folds is not None else None
    if isinstance(whole, FoldIndex):
        whole, index = None, index or whole
    if index is None:
        one = Monitor(change(Registry() if whole is None else whole), relations)
        return lambda _: one
    by_fold = [Monitor(change(registry), relations) for registry in index.load_registries()]
    rest = Monitor(change(whole), relations) if whole is not None else None

    def pick(call: Call) -> Monitor:
        return rest if rest is not None and not index.knows(call) else by_fold[index.fold(call)]

    return pick


def check_all(
    calls: Iterable[Located], monitors: MonitorOf, relations: Relations, tally: Tally
) -> Iterator[Checked]:
    """Check calls in order, counting them in `tally`."""
    failures = _Failures()
    sessions = _Sessions()
    log = logging.getLogger("outcome_monitors")
    log.addHandler(failures)
    try:
        for position, located in enumerate(calls):
            checked = _check(position, located, monitors(located.call), relations, failures, sessions)
            tally.add(checked)
            yield checked
    finally:
        log.removeHandler(failures)


def _check(
    position: int,
    located: Located,
    monitor: Monitor,
    relations: Relations,
    failures: "_Failures",
    sessions: "_Sessions",
) -> Checked:
    call = located.call
    covered = monitor.covers(call.tool, call.result)
    session = sessions.of(monitor, call)
    if call.error or not covered:
        session.skip(call.tool)
        return Checked(position, located, covered, (), (), "", call.error)
    failed = monitor.counts.failed
    violations = session.check(call.tool, call.arguments, call.result)
    failure = failures.last if monitor.counts.failed > failed else ""
    suspects = session.suspects(call.tool, violations) if violations else ()
    actions = admissible(call.tool, relations, call.tools, suspects) if violations else []
    recovery = tuple(action.tool for action in actions)
    return Checked(position, located, covered, violations, recovery, failure, failed_openly=False)


class _Sessions:
    """The sessions that are open, each with the monitor that judges it."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[int, str], Session] = OrderedDict()

    def of(self, monitor: Monitor, call: Call) -> Session:
        """Return the session of a call; a call without one is a session of its own."""
        if call.session is None:
            return monitor.session()
        key = (id(monitor), call.session)
        session = self._open.pop(key, None) or monitor.session()
        self._open[key] = session
        if len(self._open) > OPEN_SESSIONS:
            self._open.popitem(last=False)
        return session


class _Failures(logging.Handler):
    """Keeps what a monitor said last, instead of a traceback on standard error."""

    last = "unknown reason"

    def emit(self, record: logging.LogRecord) -> None:
        self.last = record.getMessage()
