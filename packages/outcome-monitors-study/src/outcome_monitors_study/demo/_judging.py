"""Results before a monitor, each in the run that it is part of."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.model import Call, Json

__all__ = ["advised", "flagged"]


def advised(monitor: Monitor, before: Sequence[Call], call: Call) -> Json:
    """Return what the agent is given for a result: the very same, or the envelope with a receipt."""
    session = monitor.session()
    for earlier in before:
        session.check(earlier.tool, earlier.arguments, earlier.result)
    return session.advise(call.tool, call.arguments, call.result, tools=call.tools)


def flagged(calls: Iterable[Call], judge: Callable[[str], Monitor]) -> Iterator[Call]:
    """Yield the calls whose result is flagged; `judge` gives the monitor of a workflow, which is one run here."""
    replay = Replay(lambda call: judge(call.task or ""))
    for call in calls:
        if replay.session(call).check(call.tool, call.arguments, call.result):
            yield call
