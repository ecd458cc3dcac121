"""What all sessions of a proxy share: how results are checked, recorded and counted, and what is said of it at the end."""

import logging
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from types import FrameType
from typing import Any, TypeVar

from outcome_monitors.events import OUTCOMES, Conversation, Watch
from outcome_monitors.learning.recorder import Recorder, ToolResult
from outcome_monitors.learning.rollout import STAGES
from outcome_monitors.model import Json, Outcome, Unchecked
from outcome_monitors.receipts.mcp import DEFAULT_CARRIER

from .framing import Piece
from .readiness import Readiness

log = logging.getLogger("outcome_monitors.mcp")
T = TypeVar("T")

BETWEEN_WARNINGS = 60.0
"""Seconds between two reports of trouble: a log that nobody reads must not come to hold up what passes."""
MOST_NAMES = 1000
"""Tools that are told apart: names come from anywhere."""


LARGEST = 4 * 2**20
"""Bytes of a message that is still looked at."""
SECONDS = 0.25
"""Seconds of processor time that the look at one message may take: a busy machine loses none."""


class OverBudget(BaseException):
    """The time is up. Not an error: no `except Exception` on the way may take it for one."""


class TimeLimit:
    """How much a check may take: a message that is too large is passed on unread, and one that takes too long is cut short.

    That is done by an alarm, which POSIX systems have, in the main thread alone; elsewhere size decides.
    """

    def __init__(self, seconds: float = SECONDS, largest: int = LARGEST) -> None:
        self.seconds, self.largest = seconds, largest
        self._counts = False
        """Whether the work at hand may be cut short."""
        main = threading.current_thread() is threading.main_thread()
        self._usable = seconds > 0 and main and hasattr(signal, "setitimer")
        if self._usable:
            signal.signal(signal.SIGVTALRM, self._ring)

    def run(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do the work; raise OverBudget where it takes too long."""
        if not self._usable or threading.current_thread() is not threading.main_thread():
            return work(*arguments)
        try:
            try:
                self._counts = True
                # It rings again and again: one ring could fall into a callback that swallows it.
                signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds, self.seconds)
                return work(*arguments)
            finally:
                self._counts = False
        finally:
            # Apart: the alarm may ring while the look ends.
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)

    def restart(self) -> None:
        """Begin anew: what follows has as much time again."""
        if self._usable and threading.current_thread() is threading.main_thread():
            self._counts = True
            signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds, self.seconds)

    def over(self) -> None:
        """Cut nothing short any more, until the next beginning: what is decided must not be decided twice."""
        self._counts = False

    def _ring(self, _number: int, frame: FrameType | None) -> None:
        while frame is not None:
            if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
                # Cut short, a module would be imported again and again; the alarm rings once more.
                return
            frame = frame.f_back
        if self._counts:
            raise OverBudget


class ProxyContext:
    """Checks results for all sessions. In mode `observe` there is no watch: results are recorded alone."""

    def __init__(
        self,
        watch: Watch | None,
        *,
        recorder: Recorder | None = None,
        carrier: str = DEFAULT_CARRIER,
        limit: TimeLimit | None = None,
        alerts: bool = True,
        as_text: bool = False,
        listed: Callable[[list[Any]], None] | None = None,
    ) -> None:
        self.watch = watch
        self.recorder = recorder
        self.carrier = carrier
        self.limit = TimeLimit() if limit is None else limit
        self.as_text = as_text
        """Receipts are text, not objects."""
        self.declares = alerts and watch is not None and carrier in ("both", "structured")
        """Whether output schemas are to declare receipts."""
        self.listed = listed
        """Told of the tools that the server lists."""
        self.outcomes: Counter[str] = Counter()
        self.calls = 0
        """Results that have passed, checked or not."""
        self.called: set[str] = set()
        """The tools that they are of."""
        self.alerted = 0
        """Results that the agent was alerted of."""
        self.troubles = 0
        """Messages that could not be looked at, since something went wrong inside."""
        self.readiness = Readiness()
        self._warned = -BETWEEN_WARNINGS

    def inspect(
        self,
        piece: Piece,
        whole: Callable[[bytes], bytes | None],
        head: Callable[[bytes], None] | None = None,
    ) -> bytes:
        """Return what is to be passed on of a piece: a whole one is given to `whole`, which may change it, the head of another to `head`.

        Whatever goes wrong in there, the bytes go on unmodified, and the trouble is counted.
        """
        look = whole if piece.whole else head if piece.head else None
        try:
            changed = None if look is None else look(piece.data)
        except (Exception, OverBudget) as error:  # noqa: BLE001 - whatever it is, nothing that passes may be lost for it
            self.trouble(error)
            return piece.data
        return piece.data if changed is None else changed

    def trouble(self, error: BaseException) -> None:
        """Count a message that could not be looked at; say so now and then."""
        self.troubles += 1
        now = time.monotonic()
        if now - self._warned >= BETWEEN_WARNINGS:
            self._warned = now
            log.error("a message could not be looked at; it was passed on unmodified", exc_info=error)

    def declares_for(self, tool: str) -> bool:
        """Say whether a tool's results may come to carry a receipt; with learning, any tool's may."""
        return self.declares and (
            self.listed is not None or (self.watch is not None and self.watch.monitor.checks(tool))
        )

    def conversation(self, name: str | None, client: str, witness: str | None) -> Conversation | None:
        """Start a conversation of a client."""
        return None if self.watch is None else self.watch.conversation(name, client, witness)

    def check(
        self,
        conversation: Conversation | None,
        tool: str,
        arguments: Mapping[str, Json],
        result: ToolResult,
        tools: Collection[str] | None,
        trace: str | None,
        *,
        again: bool = False,
        unchecked: Unchecked | None = None,
    ) -> Outcome | None:
        """Check a result, or note why it is not checked, and count its outcome; one that is seen `again` is not counted twice."""
        outcome = None
        # What a tool says of its failure may prove that an earlier result was wrong; a failure of the protocol says nothing.
        failure = result.why if result.failed and isinstance(result.value, list) else ""
        if result.why and not failure and not again:
            self.limit.over()
            if conversation is not None:
                why: Unchecked = unchecked or ("an open failure" if result.failed else "no result")
                outcome = conversation.skip(tool, result.why, trace=trace, unchecked=why)
        elif conversation is not None and (failure or not result.why):
            outcome = conversation.look(
                tool,
                arguments,
                result.value,
                tools,
                trace=trace,
                again=again,
                failure=failure,
                decided=self.limit.over,
            )
        if again:
            return outcome
        self.calls += 1
        if len(self.called) < MOST_NAMES:
            self.called.add(tool)
        if outcome is not None:
            self.outcomes[outcome.verdict] += 1
            self.alerted += outcome.told
        return outcome


def log_totals(context: ProxyContext) -> None:
    """Log what was done; a warning where something was lost."""
    counts = ", ".join(f"{context.outcomes[outcome]} {outcome.replace('_', ' ')}" for outcome in OUTCOMES)
    watch, recorder = context.watch, context.recorder
    unchecked = "" if watch is None else watch.unchecked.sentence()
    more = f"; not checked: {unchecked}" if unchecked else ""
    log.info("%d results: %s%s", context.outcomes.total(), counts, more)
    lost = watch.sink.lost if watch is not None and watch.sink is not None else 0
    lost += recorder.lost if recorder is not None else 0
    if lost or context.troubles:
        log.warning("%d events or traces were lost, %d messages not looked at", lost, context.troubles)


def log_learned(context: ProxyContext, stages: Mapping[str, str], where: str) -> None:
    """Say in one line what came of it all, and where to see more; nothing where nothing was called.

    It is there without `--verbose`: clients keep it in their logs, and it is the one sign that something is learned.
    """
    if not context.calls:
        return
    reached = [*stages.values()]
    furthest = next((stage for stage in reversed([*STAGES]) if stage in reached), None)
    parts = [
        f"{_number(context.calls, 'call')} of {_number(len(context.called), 'tool')}",
        *([] if furthest is None else [f"{_number(reached.count(furthest), 'tool')} {furthest}"]),
        f"{context.alerted:,} told",
    ]
    log.warning("%s; see outcome-monitors status %s", ", ".join(parts), where)


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
