"""A monitor where agents run: each conversation with a memory of its own, and every result an event.

watch = Watch.open("contracts.json")
conversation = watch.conversation()
outcome = conversation.look("get_order", arguments, result, tools=[...])
if outcome.receipt is not None:
    ...  # hand it to the agent beside the result
"""

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Self

from outcome_monitors.alerting.alert_policy import alert_policies, default_policies
from outcome_monitors.alerting.policy import (
    NO_CONTEXT,
    AlertContext,
    AlertDecision,
    Detection,
    Policies,
    is_declared,
    this_host,
)
from outcome_monitors.alerting.suppression import LiveOverrides, SuppressionPolicy
from outcome_monitors.checking.forms import ContractForm
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.files import FilePath
from outcome_monitors.jsonvalue.display import refuse_path, refuse_unknown
from outcome_monitors.jsonvalue.text import begins_as_json
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Encoder, Json, Mode, Outcome, Unchecked, Violation
from outcome_monitors.recovery.learner import History, RelationLearner
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.rules.anomalous_text import reports_failure
from outcome_monitors.storage.tables import Tables
from outcome_monitors.traces.private import private_paths, redacted

from .event import FAILED, NOT_CHECKED, SUPPRESSED, Event
from .payloads import Payloads
from .runs import Runs
from .scores import NO_SERVICE, score_sinks
from .sinks import Sink, fanned
from .stores import open_sink
from .unchecked import UncheckedCounts

log = logging.getLogger("outcome_monitors")

MODES: tuple[Mode, ...] = ("shadow", "advise")
"""In `shadow` every result is checked and nobody is alerted; in `advise` the agent is."""
MOST_ODD = 4096
FIRST = 3
"""So many results, the first of a tool, show that all are of another form."""
_WHY: Mapping[Unchecked, str] = {
    "failed inside": "internal error in the check, see the log",
    "no clause": "its contract has no clause",
}
"""Why a result was not checked, as its event says it."""


class Watch:
    """A monitor, where its events go, and whether agents are alerted."""

    def __init__(
        self,
        monitor: Monitor,
        sink: Sink | None = None,
        *,
        mode: Mode = "advise",
        payloads: Payloads | None = None,
        policies: Policies | None = None,
        history: History | None = None,
        overrides: FilePath | None = None,
    ) -> None:
        refuse_unknown("mode", mode, MODES)
        refuse_path("a watch", monitor, "Monitor", "Watch.open")
        self._opened = partial(Watch, monitor, sink, mode=mode, payloads=payloads, overrides=overrides)
        """What opens it again, in another process."""
        self.monitor = monitor
        self.version: int | None = None
        """The number of the monitor's contracts, where they are a version."""
        self.sink = sink
        self.payloads = Payloads(keep=False) if payloads is None else payloads
        self.advises = mode == "advise"
        self.policies: Policies = (
            OtherFormPolicy(lambda tool: self.monitor.form(tool)),  # noqa: PLW0108 - the monitor may be exchanged
            *([] if overrides is None else [SuppressionPolicy(LiveOverrides(overrides))]),
            *(default_policies(monitor.profile) if policies is None else policies),
            *([] if self.advises else [_in_shadow]),
        )
        """What decides on alerts, in order; decisions of people in the file `overrides` are followed while results come."""
        self.lock = threading.Lock()
        """Memory and counts are not for two threads at once."""
        self.unchecked = UncheckedCounts()
        """What could not be checked, and why."""
        self.runs = Runs(self.conversation)
        self._relations = monitor.relations
        """What receipts offer now: what was given, and what has been seen since."""
        safe = monitor.listing == "safe"
        self.relation_learner = RelationLearner(monitor.relations, self._relate, history) if safe else None
        """Makes relations of what is seen; the published list is left as it was given."""

    def __repr__(self) -> str:
        return f"<Watch of {self.monitor!r}, mode {'advise' if self.advises else 'shadow'}>"

    def __reduce__(self) -> tuple[Callable[[], "Watch"], tuple[()]]:
        return self._opened, ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @classmethod
    def open(
        cls,
        contracts: FilePath | None = None,
        *,
        relations: FilePath | None = None,
        events: str | Sink | None = None,
        mode: Mode = "advise",
        encoder: Encoder = "note",
        payloads: Payloads | None = None,
        state: FilePath | Tables | None = None,
        overrides: FilePath | None = None,
        private: Collection[str] = (),
        scores: Collection[str] = (NO_SERVICE,),
    ) -> "Watch":
        """Watch by a contract file, without one by the built-in rules alone; `events` is a store (`.sqlite`), a file (`.jsonl`), `otel`, a sink or None.

        In the folder `state` it keeps what has become usual; without one, that is found out anew by each process.
        `overrides` is a file of decisions, which is followed as it changes; `private` names places of which no event holds the value.
        `scores` names services that keep traces (`langfuse`, `phoenix`): each checked result is scored there, on the current span.

        with Watch.open("contracts.json", events="events.sqlite") as watch:  # what waits is written at the end
        """
        given = {name: value for name, value in locals().items() if name != "cls"}
        registry = Registry() if contracts is None else load_contracts(os.fspath(contracts))
        if overrides is not None and Path(overrides).exists():
            registry = Overrides.load(Path(overrides)).pinned(registry)
        if private:
            hidden = redacted(private_paths(private))
            payloads = Payloads(hidden, keep=False) if payloads is None else payloads.without(hidden)
        monitor = Monitor(registry, None if relations is None else Relations.load(relations), encoder=encoder)
        kept = Path(state) if isinstance(state, str | os.PathLike) else state
        policies = default_policies(monitor.profile, state=kept)
        opened = open_sink(events) if isinstance(events, str | None) else events
        sink = fanned(opened, *score_sinks(scores, os.environ))
        watch = cls(monitor, sink, mode=mode, payloads=payloads, policies=policies, overrides=overrides)
        watch._opened = partial(cls.open, **given)
        return watch

    def renew(self, monitor: Monitor, version: int | None = None) -> None:
        """Take another monitor from now on, and the version of its contracts; what receipts offer stays."""
        monitor.relations = self._relations
        self.monitor, self.version = monitor, version

    def listed(self, tools: Iterable[object], *, at_once: bool = True) -> None:
        """Take the tools in sight as MCP's `tools/list` has them: receipts go by what they say of themselves.

        What else they offer is made on a thread of its own: `at_once`, or when the first result comes.
        """
        if self.relation_learner is not None:
            self.relation_learner.listed(tools, at_once=at_once)

    def _relate(self, relations: Relations) -> None:
        self._relations = self.monitor.relations = relations

    def conversation(
        self, name: str | None = None, client: str | None = None, witness: str | None = None
    ) -> "Conversation":
        """Start a conversation: calls in order, with a memory that no other conversation shares.

        All that one `witness` of a `client` shows counts once; without them it is the conversation, of this host. Both are to be what
        others cannot choose.
        """
        return Conversation(self, name, this_host() if client is None else client, witness)

    def run(self, run: object) -> "Conversation":
        """Return the conversation of a run, by its name or an object of its own; the 1,000 used last are kept.

        An object is known as long as it lives. Without a name, calls have no memory of each other.
        """
        return self.runs.of(run)

    def emit(self, event: Event) -> None:
        """Hand an event on; a sink that raises, though none should, does not reach the host."""
        if self.sink is not None:
            try:
                self.sink.put(event)
            except Exception:
                log.exception("an event of %r could not be handed on", event.tool)

    def report_changes(self) -> None:
        """Log what has changed and was not logged yet; that alerts of it end is an event, too."""
        for policy in alert_policies(self.policies):
            for change in policy.report():
                log.warning("%s", change)
            for one in policy.suppressions():
                self.emit(Event(time.time(), None, one.tool, SUPPRESSED, why=one.suppression()))

    def close(self) -> None:
        """Write the events that still wait, and what has become usual."""
        for policy in alert_policies(self.policies):
            policy.save()
        if self.sink is not None:
            self.sink.close()


def _in_shadow(detection: Detection, _context: AlertContext) -> AlertDecision:
    return AlertDecision(detection.broken, "in shadow")


class Conversation:
    """The calls of one run, in order. No method raises, and none keeps a result back."""

    def __init__(
        self, watch: Watch, name: str | None = None, client: str = "", witness: str | None = None
    ) -> None:
        self.name = name
        self._watch = watch
        self._session = watch.monitor.session(name)
        self._session.client = client
        if witness is not None:
            self._session.witness = witness
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
        failure: str = "",
        call: str | None = None,
        decided: Callable[[], None] | None = None,
    ) -> Outcome:
        """Check a result; `again` is for one that was seen before, which is no second event and no second memory.

        `call` is the id that the model gave the call. A `failure` says how the call failed openly: such a result is not checked itself, and may prove that an earlier one was wrong.
        `decided` is called when the check is over, before there is an event of it: whoever may cut a check short must not
        do so from then on.
        """
        watch, session, now = self._watch, self._session, time.time()
        try:
            with watch.lock:
                session.monitor = watch.monitor
                outcome = session.judge(
                    tool,
                    arguments,
                    result,
                    tools,
                    remember=not again,
                    policies=watch.policies,
                    when=now,
                    failed_openly=bool(failure),
                )
            if outcome.suspended:
                watch.report_changes()
            shown, receipt = self._shown(outcome, tools) if outcome.broken and not again else ((), None)
            if decided is not None:
                decided()
            if again:
                return outcome
            why = outcome.untold if outcome.broken else failure or _WHY.get(outcome.why, "")
            if outcome.why == "no clause" or failure:
                watch.unchecked.note(tool, why, openly=bool(failure))
            relations = watch.relation_learner
            if relations is not None:
                if not self._begun:
                    self._begun = True
                    relations.in_sight((tool,) if tools is None else tools)
                if not outcome.broken and not failure:
                    relations.observe(tool, arguments, result, session.task)
            event = Event(
                now,
                self.name,
                tool,
                outcome.verdict,
                violations=shown,
                receipt=receipt,
                advised=outcome.told,
                duration=outcome.seconds,
                why=why,
                payload=watch.payloads.of(arguments, result) if watch.payloads.keep else None,
                trace=trace,
                clauses=tuple([name_clause(tool, clause) for clause, _ in outcome.broken]),
                version=watch.version,
                call=call,
            )
            watch.emit(event)
        except Exception as error:
            if decided is not None:
                decided()
            log.exception("a result of %r could not be checked; it is passed on unmodified", tool)
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
        watch.unchecked.note(tool, why, openly=unchecked == "an open failure")
        watch.emit(Event(time.time(), self.name, tool, NOT_CHECKED, why=why, trace=trace))
        return Outcome(tool, unchecked)

    def _shown(self, outcome: Outcome, tools: Collection[str] | None) -> tuple[tuple[Violation, ...], Json]:
        """Return what the event shows of violations and of the receipt that the agent was given, or would have been.

        That names no value of the call: an action's arguments are left out with the payload.
        """
        payloads, session = self._watch.payloads, self._session
        shown = payloads.redacted(outcome.proven or outcome.broken)
        receipt, _ = session.monitor.encode(
            Detection(outcome.tool), shown, tools, session.suspects, outcome.odds
        )
        return tuple([violation for _, violation in payloads.redacted(outcome.broken)]), receipt


class OtherFormPolicy:
    """Suppresses the alerts of a tool whose contract was learned from another form than its live results have.

    An import that kept a wrapper, a recording of texts where the framework hands on objects: then every right result violates the
    contract. Where the first results are all of another JSON type than the contract knows, or have what it speaks of at another depth,
    and tell of no failure, people are told once. The first result that is of the known form ends that.
    """

    def __init__(self, form_of: Callable[[str], ContractForm]) -> None:
        self._form_of = form_of
        self._odd: Counter[tuple[str, str]] = Counter()
        """By tool and client: what one gets says nothing of the others' results."""
        self._known: set[str] = set()
        """Tools of which a result was of a type that the contract knows."""

    def observe_pass(self, tool: str, _context: AlertContext = NO_CONTEXT) -> None:
        """Observe a result of the form that the contract knows."""
        self._known.add(tool)

    def __call__(self, detection: Detection, context: AlertContext) -> AlertDecision:
        """Decide on a result that violates something."""
        tool = detection.tool
        silent = tool not in self._known and self._is_silent(tool, context.client, detection.given)
        if silent and any(is_declared(one.clause) for one in detection.broken):
            silent = False
        return AlertDecision(detection.broken, "another form" if silent else "")

    def _is_silent(self, tool: str, client: str, result: Json) -> bool:
        form = self._form_of(tool)
        other = form.differs(result)
        if not other and not form.elsewhere(result):
            self.observe_pass(tool)
            return False
        if _failed(result):
            return False
        whose = tool, client
        if len(self._odd) < MOST_ODD or whose in self._odd:
            self._odd[whose] += 1
        if self._odd[whose] == FIRST:
            log.warning(
                "the first %d results of %r %s: it was learned from another form; "
                "alerts of this tool are suppressed until a result fits; record and mine again",
                FIRST,
                tool,
                _types(form, result) if other else "have what its contract speaks of at another depth",
            )
        return self._odd[whose] >= FIRST


def _types(form: ContractForm, result: Json) -> str:
    return f"are all {kind_of(result)}s, and its contract knows {' or '.join(sorted(form.kinds or ()))}"


def _failed(result: Json) -> bool:
    """Say whether a result tells of a failure rather than of another form: it is empty, cut off, or says so."""
    if not isinstance(result, str):
        return result is None
    return not result.strip() or begins_as_json(result) or reports_failure(result)
