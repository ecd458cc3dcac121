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
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from outcome_monitors.alerting.alert_policy import alert_policies, usual_policy
from outcome_monitors.alerting.policy import AlertContext, AlertDecision, Detection, Policies, Policy
from outcome_monitors.alerting.suppression import LiveOverrides, SuppressionPolicy
from outcome_monitors.checking.forms import ContractForm
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.exceptions import ContractError
from outcome_monitors.files import FilePath
from outcome_monitors.jsonvalue.display import refuse_path, refuse_unknown
from outcome_monitors.model import Clause, Encoder, Mode
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.traces.private import private_paths, redacted

from .conversation import Conversation, UncheckedCounts
from .event import Event
from .forms import OtherFormPolicy
from .payloads import Payloads
from .relation_learner import History, RelationLearner
from .runs import Runs
from .scores import NO_SERVICE, score_sinks
from .stores import Fan, QueuedStore, Sink, fanned, open_sink

if TYPE_CHECKING:
    from .canary import Canary

__all__ = ["MODES", "Watch"]

log = logging.getLogger("outcome_monitors")

MODES: tuple[Mode, ...] = ("shadow", "advise")
"""In `shadow` every result is checked and nobody is alerted; in `advise` the agent is."""


class Watch:
    """A monitor, where its events go, and whether agents are alerted.

    `may_alert` says whether the agent may be alerted that a result of a tool violates a clause.
    """

    def __init__(
        self,
        monitor: Monitor,
        sink: Sink | None = None,
        *,
        mode: Mode = "advise",
        payloads: Payloads | None = None,
        may_alert: Callable[[str, Clause], bool] | None = None,
        policy: Policy | None = None,
        history: History | None = None,
        overrides: FilePath | None = None,
    ) -> None:
        refuse_unknown("mode", mode, MODES)
        refuse_path("a watch", monitor, "Monitor", "Watch.open")
        self.monitor = monitor
        self.version: int | None = None
        """The number of the monitor's contracts, where they are a version."""
        self.canary: Canary | None = None
        """The version that is tried beside them."""
        self.sink = sink
        self.payloads = Payloads(keep=False) if payloads is None else payloads
        self.advises = mode == "advise"
        self.may_alert = may_alert
        self.policy = Policies(
            OtherFormPolicy(self._form),
            self._proven,
            *([] if overrides is None else [SuppressionPolicy(LiveOverrides(overrides))]),
            usual_policy(monitor.profile) if policy is None else policy,
            self._in_mode,
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

    @classmethod
    def open(
        cls,
        contracts: FilePath,
        *,
        relations: FilePath | None = None,
        events: str | None = None,
        mode: Mode = "advise",
        encoder: Encoder = "note",
        payloads: Payloads | None = None,
        state: FilePath | None = None,
        overrides: FilePath | None = None,
        private: Collection[str] = (),
        scores: Collection[str] = (NO_SERVICE,),
    ) -> "Watch":
        """Watch by a contract file; `events` is a store (`.sqlite`), a file (`.jsonl`), `otel` or None.

        In the folder `state` it keeps what has become usual; without one, that is found out anew by each process.
        `overrides` is a file of decisions, which is heeded as it changes; `private` names places of which no event holds the value.
        `scores` names services that keep traces (`langfuse`, `phoenix`): each checked result is scored there, on the current span.
        """
        registry = load_contracts(str(contracts))
        if isinstance(registry, FoldIndex):
            raise ContractError(f"{contracts} is an index of folds; name a contract file")
        if overrides is not None and Path(overrides).exists():
            registry = Overrides.load(Path(overrides)).pinned(registry)
        if private:
            hidden = redacted(private_paths(private))
            payloads = Payloads(hidden, keep=False) if payloads is None else payloads.without(hidden)
        substitutes = Relations.load(relations) if relations is not None else None
        monitor = Monitor(registry, substitutes, encoder=encoder)
        policy = usual_policy(monitor.profile, state=Path(state) if state is not None else None)
        sink = fanned(open_sink(events), *score_sinks(scores, os.environ))
        return cls(monitor, sink, mode=mode, payloads=payloads, policy=policy, overrides=overrides)

    def renew(self, monitor: Monitor) -> None:
        """Take another monitor from now on; what receipts offer stays."""
        monitor.relations = self._relations
        self.monitor = monitor

    def set_version(self, version: int | None, canary: "Canary | None") -> None:
        """Take which version the contracts are from now on, and which one is tried beside it."""
        before, self.canary, self.version = self.canary, canary, version
        if before is not None and before is not canary:
            before.close()

    def listed(self, tools: Iterable[object], *, at_once: bool = True) -> None:
        """Take the tools in sight as MCP's `tools/list` has them: receipts go by what they say of themselves.

        What else they offer is made on a thread of its own: `at_once`, or when the first result comes.
        """
        if self.relation_learner is not None:
            self.relation_learner.listed(tools, at_once=at_once)

    def _relate(self, relations: Relations) -> None:
        self._relations = self.monitor.relations = relations
        if self.canary is not None:
            self.canary.monitor.relations = relations

    def conversation(self, name: str | None = None) -> Conversation:
        """Start a conversation: calls in order, with a memory that no other conversation shares."""
        return Conversation(self, name)

    def run(self, run: object) -> Conversation:
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

    def store(self, event: Event) -> None:
        """Hand an event to stores alone: it is no result of its own, and nobody is to be alerted of it."""
        for sink in self.sink.sinks if isinstance(self.sink, Fan) else [self.sink]:
            if isinstance(sink, QueuedStore):
                sink.put(event)

    def report_changes(self) -> None:
        """Log what has changed and was not logged yet."""
        for policy in alert_policies(self.policy):
            for change in policy.report():
                log.warning("%s", change)

    def _form(self, tool: str) -> ContractForm:
        return self.monitor.form(tool)

    def _proven(self, detection: Detection, _context: AlertContext) -> AlertDecision:
        """Leave what the agent may be alerted of."""
        may_alert, tool = self.may_alert, detection.tool
        if may_alert is None:
            return AlertDecision(detection.broken)
        proven = tuple([one for one in detection.broken if may_alert(tool, one.clause)])
        return AlertDecision(proven, "" if proven else "not proven")

    def _in_mode(self, detection: Detection, _context: AlertContext) -> AlertDecision:
        """Alert in mode `advise` alone."""
        return AlertDecision(detection.broken, "" if self.advises else "in shadow")

    def close(self) -> None:
        """Write the events that still wait, and what has become usual."""
        for policy in alert_policies(self.policy):
            policy.save()
        self.set_version(self.version, None)
        if self.sink is not None:
            self.sink.close()
