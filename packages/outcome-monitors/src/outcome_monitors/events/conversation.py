"""One run of an agent under a watch: each result is checked, told, learned from and an event; what cannot be checked is counted and said."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.model import ClauseName, Json, Outcome, Unchecked, Violation
from outcome_monitors.values.display import clip_text

from .event import CLEAN, FAILED, NOT_CHECKED, Event

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["Conversation", "UncheckedTally"]

log = logging.getLogger("outcome_monitors")

_WHY: Mapping[Unchecked, str] = {
    "failed inside": "the check went wrong inside, see the log",
    "no clause": "its contract has no clause",
}
"""What an event says of results that were looked at, and not checked."""

MOST_REASONS = 1000
"""Tools and reasons that are told apart; all further ones count as one."""
MOST_SAID = 10
OTHERS = ("other tools", "for other reasons")
_said: set[str] = set()
"""Tools of which this process has said that results are not checked."""


class Conversation:
    """The calls of one run, in order. No method raises, and none keeps a result back."""

    def __init__(self, watch: "Watch", name: str | None = None) -> None:
        self.name = name
        self._watch = watch
        self._session = watch.monitor.session(name)
        self._learns = watch.renewal is not None and watch.renewal.run()
        """Whether its calls are kept, for relations."""
        self._calls = 0
        """How many of them there were."""

    def look(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None = None,
        *,
        trace: str | None = None,
        again: bool = False,
        decided: Callable[[], None] | None = None,
    ) -> Outcome:
        """Check a result; `again` is for one that was seen before, which is no second event and no second memory.

        `decided` is called when the check is over, before there is an event of it: whoever may cut a check short must not
        do so from then on.
        """
        outcome, seconds = self.glance(
            tool, arguments, result, tools, trace=trace, again=again, decided=decided
        )
        return outcome.timed(seconds)

    def glance(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None = None,
        *,
        trace: str | None = None,
        again: bool = False,
        decided: Callable[[], None] | None = None,
    ) -> tuple[Outcome, float]:
        """Do the same; the time that it took stands beside the outcome, of which there is one for all clean results of a tool."""
        watch, session, now = self._watch, self._session, time.time()
        version, tried = watch.version, watch.tried
        try:
            with watch.lock:
                session.monitor = watch.monitor
                if tried is not None and tried.judges(self.name):
                    session.monitor, version = tried.monitor, tried.number
                outcome = session.judge(
                    tool, arguments, result, tools, remember=not again, policy=watch.policy, when=now
                )
            seconds = outcome.seconds
            broken, why = outcome.broken, outcome.why
            if outcome.suspended:
                watch.report_changes()
            shown, kept = self._kept(outcome, arguments, tools) if broken and not again else ((), None)
            if decided is not None:
                decided()
            if again:
                return outcome, seconds
            if why == "no clause":
                watch.unchecked.note(tool, _WHY[why])
            if self._learns or not self._calls:
                self._learn(tool, arguments, result, tools, outcome)
            if watch.sink is not None:
                payload = watch.payloads.of(arguments, result) if watch.payloads.keep else None
                if why or broken:
                    told, said = outcome.receipt is not None, _WHY.get(why, "")
                    names: tuple[ClauseName, ...] = ()
                    if broken:
                        said, names = outcome.untold, tuple(name_clause(tool, each) for each, _ in broken)
                    event = Event(
                        now,
                        self.name,
                        tool,
                        outcome.verdict,
                        shown,
                        kept,
                        told,
                        seconds,
                        said,
                        payload,
                        trace,
                        names,
                        version,
                    )
                else:
                    # Most events: what `Event` itself does takes thrice as long.
                    fields = (
                        now,
                        self.name,
                        tool,
                        CLEAN,
                        (),
                        None,
                        False,
                        seconds,
                        "",
                        payload,
                        trace,
                        (),
                        version,
                    )
                    event = tuple.__new__(Event, fields)
                watch.emit(event)
            if tried is not None and tried.shadows:
                tried.look(self, tool, arguments, result, tools, now, outcome)
        except Exception as error:
            if decided is not None:
                decided()
            log.exception("a result of %r could not be looked at; it stands as it is", tool)
            watch.emit(Event(now, self.name, tool, FAILED, why=type(error).__name__))
            return Outcome(tool, "failed inside", failures=(type(error).__name__,)), 0.0
        return outcome, seconds

    def _learn(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None,
        outcome: Outcome,
    ) -> None:
        """Keep a call, for relations; one that breaks something is none to learn from. No receipt is lost over it."""
        renewal, number = self._watch.renewal, self._calls
        self._calls = number + 1
        if renewal is None:
            return
        try:
            if not number:
                renewal.in_sight((tool,) if tools is None else tools)
            if self._learns and not outcome.broken:
                renewal.saw(tool, arguments, result, self._session.task, number)
        except Exception:
            log.exception("nothing could be learned from a result of %r; it was checked", tool)

    def skip(
        self, tool: str, why: str, *, trace: str | None = None, unchecked: Unchecked = "no result"
    ) -> Outcome:
        """Note a call whose result is not checked: why in words, and which of the known reasons it is."""
        with self._watch.lock:
            self._session.monitor = self._watch.monitor
            self._session.skip(tool)
            if self._watch.tried is not None:
                self._watch.tried.skip(self, tool)
        self._watch.unchecked.note(tool, why, openly=unchecked == "an open failure")
        self._watch.emit(Event(time.time(), self.name, tool, NOT_CHECKED, why=why, trace=trace))
        return Outcome(tool, unchecked)

    def _kept(
        self, outcome: Outcome, arguments: Mapping[str, Json], tools: Collection[str] | None
    ) -> tuple[tuple[Violation, ...], Json]:
        """Return what the event shows of violations and of the receipt that the agent was given, or would have been.

        That names no value of the call: an action's arguments are left out with the payload.
        """
        payloads, violations = self._watch.payloads, outcome.violations
        suspects = self._session.suspects(outcome.tool, arguments, violations)
        shown = payloads.pairs(outcome.proven or outcome.broken)
        receipt, _ = self._session.monitor.receipt(
            outcome.tool, {}, None, shown, tools, suspects, outcome.odds
        )
        return payloads.violations(violations), receipt


class UncheckedTally:
    """Results that were not checked, by tool and why. Safe under threads.

    A call that failed openly is no news to anybody, and is counted alone. What has no result that could be checked (a picture, content
    that is empty, an answer that is too large) is taken for checked, unless someone says so: that is done once for each tool.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def note(self, tool: str, why: str, *, openly: bool = False) -> None:
        """Count a result; the first of each tool is logged, unless its call failed `openly`."""
        with self._lock:
            known = (tool, why) in self.counts or len(self.counts) < MOST_REASONS
            self.counts[(tool, why) if known else OTHERS] += 1
            first = not openly and tool not in _said and len(_said) < MOST_REASONS
            if first:
                _said.add(tool)
        if first:
            log.warning(
                "a result of %r is not checked: %s; further ones are counted alone", clip_text(tool), why
            )

    def sentence(self) -> str:
        """Say how many results of which tools were not checked, and why, the most first; empty where all were."""
        with self._lock:
            found = self.counts.most_common()
        said = [f"{number} of {clip_text(tool)}, {why}" for (tool, why), number in found[:MOST_SAID]]
        rest = sum(number for _, number in found[MOST_SAID:])
        return "; ".join([*said, f"{rest} more"] if rest else said)
