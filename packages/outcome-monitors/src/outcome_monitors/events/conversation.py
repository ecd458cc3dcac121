"""One run of an agent under a watch: each result is checked and an event; what cannot be checked is counted and logged."""

import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.model import Json, Outcome, Unchecked, Violation

from .event import FAILED, NOT_CHECKED, Event

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["Conversation", "UncheckedCounts"]

log = logging.getLogger("outcome_monitors")

_WHY: Mapping[Unchecked, str] = {
    "failed inside": "the check went wrong inside, see the log",
    "no clause": "its contract has no clause",
}
"""What an event says of results that were looked at, and not checked."""

MOST_REASONS = 1000
"""Tools and reasons that are told apart; all further ones count as one."""
MOST_SHOWN = 10
OTHERS = ("other tools", "for other reasons")
_logged: set[str] = set()
"""Tools of which this process has logged that results are not checked."""


class Conversation:
    """The calls of one run, in order. No method raises, and none keeps a result back."""

    def __init__(self, watch: "Watch", name: str | None = None) -> None:
        self.name = name
        self._watch = watch
        self._session = watch.monitor.session(name)
        self._begun = False

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
        watch, session, now = self._watch, self._session, time.time()
        version, canary = watch.version, watch.canary
        try:
            with watch.lock:
                session.monitor = watch.monitor
                if canary is not None and canary.judges(self.name):
                    session.monitor, version = canary.monitor, canary.number
                outcome = session.judge(
                    tool, arguments, result, tools, remember=not again, policies=watch.policies, when=now
                )
            if outcome.suspended:
                watch.report_changes()
            shown, receipt = (
                self._shown(outcome, arguments, tools) if outcome.broken and not again else ((), None)
            )
            if decided is not None:
                decided()
            if again:
                return outcome
            why = outcome.untold if outcome.broken else _WHY.get(outcome.why, "")
            if outcome.why == "no clause":
                watch.unchecked.note(tool, why)
            self._learn(tool, arguments, result, tools, outcome)
            event = Event(
                now,
                self.name,
                tool,
                outcome.verdict,
                violations=shown,
                receipt=receipt,
                advised=outcome.receipt is not None,
                duration=outcome.seconds,
                why=why,
                payload=watch.payloads.of(arguments, result),
                trace=trace,
                clauses=tuple([name_clause(tool, clause) for clause, _ in outcome.broken]),
                version=version,
            )
            watch.emit(event)
            if canary is not None and canary.shadows:
                canary.look(self, tool, arguments, result, tools, now, outcome)
        except Exception as error:
            if decided is not None:
                decided()
            log.exception("a result of %r could not be looked at; it stands as it is", tool)
            watch.emit(Event(now, self.name, tool, FAILED, why=type(error).__name__))
            return Outcome(tool, "failed inside", failures=(type(error).__name__,))
        return outcome

    def skip(
        self, tool: str, why: str, *, trace: str | None = None, unchecked: Unchecked = "no result"
    ) -> Outcome:
        """Note a call whose result is not checked: why in words, and which of the known reasons it is."""
        watch = self._watch
        with watch.lock:
            self._session.monitor = watch.monitor
            self._session.skip(tool)
            if watch.canary is not None:
                watch.canary.skip(self, tool)
        watch.unchecked.note(tool, why, openly=unchecked == "an open failure")
        watch.emit(Event(time.time(), self.name, tool, NOT_CHECKED, why=why, trace=trace))
        return Outcome(tool, unchecked)

    def _learn(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None,
        outcome: Outcome,
    ) -> None:
        """Learn relations from a call, unless it violates something; no receipt is lost over it."""
        learner = self._watch.relation_learner
        if learner is None:
            return
        try:
            if not self._begun:
                self._begun = True
                learner.in_sight((tool,) if tools is None else tools)
            if not outcome.broken:
                learner.observe(tool, arguments, result, self._session.task)
        except Exception:
            log.exception("nothing could be learned from a result of %r; it was checked", tool)

    def _shown(
        self, outcome: Outcome, arguments: Mapping[str, Json], tools: Collection[str] | None
    ) -> tuple[tuple[Violation, ...], Json]:
        """Return what the event shows of violations and of the receipt that the agent was given, or would have been.

        That names no value of the call: an action's arguments are left out with the payload.
        """
        payloads, violations = self._watch.payloads, outcome.violations
        suspects = self._session.suspects(outcome.tool, arguments, violations)
        shown = payloads.pairs(outcome.proven or outcome.broken)
        receipt, _ = self._session.monitor.encode(
            outcome.tool, {}, None, shown, tools, suspects, outcome.odds
        )
        return payloads.violations(violations), receipt


class UncheckedCounts:
    """Results that were not checked, by tool and why. Safe under threads.

    A call that failed openly is no news to anybody, and is counted alone. What has no result that could be checked (a picture, content
    that is empty, an answer that is too large) is taken for checked, unless someone says so: that is logged once for each tool.
    """

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def note(self, tool: str, why: str, *, openly: bool = False) -> None:
        """Count a result; the first of each tool is logged, unless its call failed `openly`."""
        with self._lock:
            known = (tool, why) in self.counts or len(self.counts) < MOST_REASONS
            self.counts[(tool, why) if known else OTHERS] += 1
            first = not openly and tool not in _logged and len(_logged) < MOST_REASONS
            if first:
                _logged.add(tool)
        if first:
            log.warning(
                "a result of %r is not checked: %s; further ones are counted alone", clip_text(tool), why
            )

    def sentence(self) -> str:
        """Say how many results of which tools were not checked, and why, the most first; empty where all were."""
        with self._lock:
            found = self.counts.most_common()
        shown = [f"{number} of {clip_text(tool)}, {why}" for (tool, why), number in found[:MOST_SHOWN]]
        rest = sum(number for _, number in found[MOST_SHOWN:])
        return "; ".join([*shown, f"{rest} more"] if rest else shown)
