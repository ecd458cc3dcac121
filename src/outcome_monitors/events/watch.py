"""A monitor where agents run: each conversation with a memory of its own, and every result an event.

watch = Watch.open("contracts.json")
conversation = watch.conversation()
seen = conversation.look("get_order", arguments, result, tools=[...])
if seen.receipt is not None:
    ...  # hand it on beside the result
"""

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.exceptions import ContractError
from outcome_monitors.model import Clause, Encoder, Json, Mode, Violation
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.values.choices import refuse_path, refuse_unknown
from outcome_monitors.values.files import FilePath

from .event import CLEAN, FAILED, FLAGGED, NOT_CHECKED, NOT_COVERED, Event
from .payloads import Payloads
from .runs import Runs
from .sinks import open_sink
from .stores import Sink

__all__ = ["MODES", "Conversation", "Seen", "Tells", "Watch"]

log = logging.getLogger("outcome_monitors")

MODES: tuple[Mode, ...] = ("shadow", "advise")
"""In `shadow` every result is checked and nobody is told; in `advise` the agent is."""

_WENT_WRONG = "the check went wrong inside, see the log"

Tells = Callable[[str, Clause], bool]
"""Says whether the agent may be told that a result of a tool breaks a clause."""


class Seen(NamedTuple):
    """What was made of a result."""

    outcome: str
    """One of `events.OUTCOMES`."""
    violations: tuple[Violation, ...] = ()
    receipt: Json = None
    """What to hand to the agent beside the result; None where there is nothing to tell, or nobody is to be told."""
    proven: bool = False
    """Whether it breaks something that agents may be told of, whatever the mode."""


_UNBROKEN = {outcome: Seen(outcome) for outcome in (CLEAN, NOT_COVERED, FAILED)}


class Watch:
    """A monitor, where its events go, and whether agents are told."""

    def __init__(
        self,
        monitor: Monitor,
        sink: Sink | None = None,
        *,
        mode: Mode = "advise",
        payloads: Payloads | None = None,
        tells: Tells | None = None,
    ) -> None:
        refuse_unknown("mode", mode, MODES)
        refuse_path("a watch", monitor, "Monitor", "Watch.open")
        self.monitor = monitor
        self.sink = sink
        self.payloads = payloads or Payloads(keep=False)
        self.advises = mode == "advise"
        self.tells: Tells = tells or _everything
        self.lock = threading.Lock()
        self._runs = Runs(self.conversation)

    @classmethod
    def open(
        cls,
        contracts: FilePath,
        *,
        relations: FilePath | None = None,
        events: str | None = None,
        mode: Mode = "advise",
        encoder: Encoder = "v2",
        payloads: Payloads | None = None,
    ) -> "Watch":
        """Watch by a contract file; `events` is a store (`.sqlite`), a file (`.jsonl`), `otel` or None."""
        registry = load_contracts(str(contracts))
        if isinstance(registry, FoldIndex):
            raise ContractError(f"{contracts} is an index of folds; name a contract file")
        substitutes = Relations.load(relations) if relations is not None else None
        monitor = Monitor(registry, substitutes, encoder=encoder)
        return cls(monitor, open_sink(events), mode=mode, payloads=payloads)

    def conversation(self, name: str | None = None) -> "Conversation":
        """Start a conversation: calls in order, with a memory that no other conversation shares."""
        return Conversation(self, name)

    def run(self, run: object) -> "Conversation":
        """Return the conversation of a run, by its name or an object of its own; the 1,000 heard of last are kept.

        An object is known as long as it lives. Without a name, calls have no memory of each other.
        """
        return self._runs.of(run)

    def emit(self, event: Event) -> None:
        """Hand an event on; a sink that raises, though none should, does not reach the host."""
        if self.sink is not None:
            try:
                self.sink.put(event)
            except Exception:
                log.exception("an event of %r could not be handed on", event.tool)

    def close(self) -> None:
        """Write the events that still wait."""
        if self.sink is not None:
            self.sink.close()


class Conversation:
    """The calls of one run, in order. No method raises, and none keeps a result back."""

    def __init__(self, watch: Watch, name: str | None = None) -> None:
        self.name = name
        self._watch = watch
        self._session = watch.monitor.session()

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
    ) -> Seen:
        """Check a result; `again` is for one that was seen before, which is no second event and no second memory.

        `decided` is called when the check is over, before there is an event of it: whoever may cut a check short must not
        do so from then on.
        """
        start, now = time.perf_counter(), time.time()
        try:
            seen, shown, kept = self._look(tool, arguments, result, tools, again=again)
            if decided is not None:
                decided()
            if not again:
                duration = time.perf_counter() - start
                payload = self._watch.payloads.of(arguments, result)
                told, why = seen.receipt is not None, _WENT_WRONG if seen.outcome == FAILED else ""
                self._watch.emit(
                    Event(
                        now, self.name, tool, seen.outcome, shown, kept, told, duration, why, payload, trace
                    )
                )
        except Exception as error:
            if decided is not None:
                decided()
            log.exception("a result of %r could not be looked at; it stands as it is", tool)
            self._watch.emit(Event(now, self.name, tool, FAILED, why=type(error).__name__))
            return Seen(FAILED)
        return seen

    def skip(self, tool: str, why: str, *, trace: str | None = None) -> Seen:
        """Note a call whose result is not checked, and why."""
        with self._watch.lock:
            self._session.skip(tool)
        self._watch.emit(Event(time.time(), self.name, tool, NOT_CHECKED, why=why, trace=trace))
        return Seen(NOT_CHECKED)

    def _look(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None,
        *,
        again: bool,
    ) -> tuple[Seen, tuple[Violation, ...], Json]:
        """Return what was made of a result, and what of its violations and of its receipt is for the event."""
        watch = self._watch
        monitor = watch.monitor
        # Counts tell whether something failed inside, and memory is not for two threads at once.
        with watch.lock:
            failed = monitor.counts.failed
            broken = self._session.broken(monitor, tool, arguments, result, remember=not again)
            failed = monitor.counts.failed - failed
        if not broken:
            outcome = FAILED if failed else CLEAN if monitor.covers(tool, result) else NOT_COVERED
            return _UNBROKEN[outcome], (), None
        told = tuple(pair for pair in broken if watch.tells(tool, pair[0]))
        violations = tuple(violation for _, violation in broken)
        suspects = self._session.suspects(tool, violations)
        receipt = None
        if told and watch.advises:
            receipt = monitor.receipt(tool, arguments, result, told, tools, suspects)
        # What is kept names no value of the call: an action's arguments are left out with the payload.
        kept = monitor.receipt(tool, {}, None, watch.payloads.pairs(told or broken), tools, suspects)
        return Seen(FLAGGED, violations, receipt, bool(told)), watch.payloads.violations(violations), kept


def _everything(_tool: str, _clause: Clause) -> bool:
    return True
