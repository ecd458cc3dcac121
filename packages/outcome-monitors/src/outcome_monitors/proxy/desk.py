"""What all conversations of a proxy share: how results are looked at, recorded and told."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from outcome_monitors.events import OUTCOMES, Conversation, Watch
from outcome_monitors.model import Json, Outcome, Unchecked
from outcome_monitors.receipts.mcp import DEFAULT_CARRIER

from .limits import TimeLimit
from .readiness import Readiness
from .results import Result
from .stages import STAGES

if TYPE_CHECKING:
    from .recorder import Recorder

__all__ = ["Desk", "say_goodbye", "say_what_was_learned"]

log = logging.getLogger("outcome_monitors.proxy")

BETWEEN_WARNINGS = 60.0
"""Seconds between two reports of trouble: a log that nobody reads must not come to hold up what passes."""
MOST_NAMES = 1000
"""Tools that are told apart: names come from anywhere."""
Listed = Callable[[list[Any]], None]
"""Told of the tools that the server lists."""


class Desk:
    """Looks at results for all conversations. In mode `observe` there is no watch: results are recorded alone."""

    def __init__(
        self,
        watch: Watch | None,
        *,
        recorder: "Recorder | None" = None,
        carrier: str = DEFAULT_CARRIER,
        budget: TimeLimit | None = None,
        tells: bool = True,
        as_text: bool = False,
        listed: Listed | None = None,
    ) -> None:
        self.watch = watch
        self.recorder = recorder
        self.carrier = carrier
        self.budget = TimeLimit() if budget is None else budget
        self.as_text = as_text
        """Receipts are text, not objects."""
        self.declares = tells and watch is not None and carrier in ("both", "structured")
        """Whether output schemas are to declare receipts."""
        self.listed = listed
        self.outcomes: Counter[str] = Counter()
        self.calls = 0
        """Results that have passed, looked at or not."""
        self.called: set[str] = set()
        """The tools that they are of."""
        self.told = 0
        """Results of which the agent was told."""
        self.troubles = 0
        """Messages that could not be looked at, since something went wrong inside."""
        self.readiness = Readiness()
        """Whether calls are to be sent here."""
        self._warned = -BETWEEN_WARNINGS

    def trouble(self, error: BaseException) -> None:
        """Count a message that could not be looked at; say so now and then."""
        self.troubles += 1
        now = time.monotonic()
        if now - self._warned >= BETWEEN_WARNINGS:
            self._warned = now
            log.error("a message could not be looked at; it was passed on as it came", exc_info=error)

    def declares_for(self, tool: str) -> bool:
        """Say whether a tool's results may come to carry a receipt; with learning, any tool's may."""
        return self.declares and (
            self.listed is not None or (self.watch is not None and self.watch.monitor.covers(tool))
        )

    def conversation(self, name: str | None) -> Conversation | None:
        """Start a conversation."""
        return None if self.watch is None else self.watch.conversation(name)

    def look(
        self,
        conversation: Conversation | None,
        tool: str,
        arguments: Mapping[str, Json],
        result: Result,
        tools: Collection[str] | None,
        trace: str | None,
        *,
        again: bool,
    ) -> Outcome | None:
        """Check a result and count its outcome; one that is seen `again` is not counted twice."""
        if conversation is None:
            self._passed(tool)
            return None
        if not result.why:
            outcome, _ = conversation.glance(
                tool, arguments, result.value, tools, trace=trace, again=again, decided=self.budget.over
            )
            if not again:
                self.outcomes[outcome.verdict] += 1
                self.told += outcome.receipt is not None
                self._passed(tool)
            return outcome
        if again:
            return None
        self.budget.over()
        unchecked: Unchecked = "an open failure" if result.failed else "no result"
        return self.skip(conversation, tool, result.why, trace, unchecked)

    def skip(
        self,
        conversation: Conversation | None,
        tool: str,
        why: str,
        trace: str | None,
        unchecked: Unchecked,
    ) -> Outcome | None:
        """Note a result that was passed on unread, and count it."""
        self._passed(tool)
        if conversation is None:
            return None
        outcome = conversation.skip(tool, why, trace=trace, unchecked=unchecked)
        self.outcomes[outcome.verdict] += 1
        return outcome

    def _passed(self, tool: str) -> None:
        self.calls += 1
        if tool not in self.called and len(self.called) < MOST_NAMES:
            self.called.add(tool)


def say_goodbye(desk: Desk) -> None:
    """Log what was done; a warning where something was lost."""
    counts = ", ".join(f"{desk.outcomes[outcome]} {outcome.replace('_', ' ')}" for outcome in OUTCOMES)
    unchecked = "" if desk.watch is None else desk.watch.unchecked.sentence()
    log.info(
        "%d results: %s%s",
        desk.outcomes.total(),
        counts,
        f"; not checked: {unchecked}" if unchecked else "",
    )
    lost = (desk.watch.sink.lost if desk.watch is not None and desk.watch.sink is not None else 0) + (
        desk.recorder.lost if desk.recorder is not None else 0
    )
    if lost or desk.troubles:
        log.warning("%d events or traces were lost, %d messages not looked at", lost, desk.troubles)


def say_what_was_learned(desk: Desk, stages: Mapping[str, str], where: str) -> None:
    """Say in one line what came of it all, and where to see more; nothing where nothing was called.

    It is there without `--verbose`: clients keep it in their logs, and it is the one sign that something is learned.
    """
    if not desk.calls:
        return
    reached = [*stages.values()]
    furthest = next((stage for stage in reversed([*STAGES]) if stage in reached), None)
    parts = [
        f"{_number(desk.calls, 'call')} of {_number(len(desk.called), 'tool')}",
        *([] if furthest is None else [f"{_number(reached.count(furthest), 'tool')} {furthest}"]),
        f"{desk.told:,} told",
    ]
    log.warning("%s; see outcome-monitors status %s", ", ".join(parts), where)


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
