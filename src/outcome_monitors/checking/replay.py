"""Every call of a set of traces, held against contracts as `check` does it, with the clauses that it breaks."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Call

from .causes import Broken
from .monitor import Monitor
from .session import Session

__all__ = ["Sessions", "flagging", "held", "quiet"]

OPEN_SESSIONS = 4096
"""Sessions whose calls may be interleaved; those not heard of for longest are closed first."""


class Sessions:
    """The sessions of one monitor that are open."""

    def __init__(self, monitor: Monitor) -> None:
        self.monitor = monitor
        self._open: OrderedDict[str, Session] = OrderedDict()

    def of(self, call: Call) -> Session:
        """Return the session of a call; a call without one is a session of its own."""
        if call.session is None:
            return self.monitor.session()
        session = self._open.pop(call.session, None) or self.monitor.session()
        self._open[call.session] = session
        if len(self._open) > OPEN_SESSIONS:
            self._open.popitem(last=False)
        return session


def held(calls: Iterable[Call], registry: Registry) -> Iterator[tuple[Call, Broken]]:
    """Yield each call that has a contract and did not fail openly, with what it breaks."""
    monitor = Monitor(registry)
    sessions = Sessions(monitor)
    with quiet():
        for call in calls:
            session = sessions.of(call)
            if call.error or call.tool not in registry.contracts:
                session.skip(call.tool)
            else:
                yield call, session.broken(monitor, call.tool, call.arguments, call.result)


@contextmanager
def quiet() -> Iterator[None]:
    """Keep checks that fail inside from being printed one by one."""
    log, nowhere = logging.getLogger("outcome_monitors"), logging.NullHandler()
    log.addHandler(nowhere)
    try:
        yield
    finally:
        log.removeHandler(nowhere)


def flagging(registry: Registry) -> Callable[[Call], bool]:
    """Return the question whether a call's result breaks its tool's contract, asked of each call by itself."""
    monitor = Monitor(registry)
    return lambda call: (
        monitor.covers(call.tool) and bool(monitor.check(call.tool, call.arguments, call.result))
    )
