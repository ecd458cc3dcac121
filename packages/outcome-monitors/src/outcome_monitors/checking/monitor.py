"""The run time: check a result, and advise the agent where it violates its contract.

Every result takes one way: `evaluate` (which clauses are violated, and where), `localize` (in which order, of which member), `decide`
(what the agent is alerted of) and `encode` (the receipt). `check`, `advise`, `judge` and those of a session are views of it.

A monitor never raises, never calls a tool, never changes what it is given, and never keeps a result back. What goes wrong inside is
counted and logged, and the host sees the raw result. It is built from contracts and recovery relations alone: nothing here could hold a
label, a solution or an evaluator.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, get_args

from outcome_monitors.alerting.policy import (
    NO_CONTEXT,
    AlertContext,
    AlertDecision,
    BrokenClause,
    Detection,
    Policies,
    alert_always,
    alert_never,
    decide,
)
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.features.feature import ABSENT
from outcome_monitors.features.session import What
from outcome_monitors.jsonvalue.canonical import arguments_of, canonical
from outcome_monitors.jsonvalue.display import refuse_path, refuse_unknown
from outcome_monitors.model import (
    Broken,
    Clause,
    Encoder,
    Json,
    Listing,
    Outcome,
    Violation,
)
from outcome_monitors.receipts.encoders import ENCODERS, Finding, envelope, information
from outcome_monitors.recovery.relations import Relations, actions, arguments_at_fault
from outcome_monitors.recovery.rest import rest
from outcome_monitors.rules import KINDS, violated
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.built_in import CLAUSES
from outcome_monitors.rules.built_in.agreement import FilterCounts

from .evaluation import CompiledContracts, evaluate
from .failures import failed
from .forms import ContractForm
from .localization import localize, redacted
from .session import Session

_NOTHING: Mapping[str, Json] = {}


@dataclass(slots=True)
class Counts:
    """What a monitor has done so far."""

    checked: int = 0
    flagged: int = 0
    not_covered: int = 0
    failed: int = 0
    """Checks or receipts that went wrong inside; the host saw the raw result."""

    def add(self, outcome: Outcome) -> Outcome:
        """Count what became of a result, and hand it on."""
        self.checked += 1
        if outcome.why or outcome.broken:
            self.flagged += bool(outcome.broken)
            self.not_covered += outcome.why == "no contract"
            self.failed += len(outcome.failures) + (outcome.untold == "no receipt")
        return outcome


class Monitor:
    """Checks tool results against contracts."""

    def __init__(
        self,
        registry: Registry | None = None,
        relations: Relations | None = None,
        *,
        encoder: Encoder = "v2",
        listing: Listing | None = None,
        built_in: bool | None = None,
    ) -> None:
        refuse_unknown("receipt encoder", encoder, sorted(get_args(Encoder)))
        refuse_unknown("list", "safe" if listing is None else listing, get_args(Listing))
        refuse_path("a monitor", registry, "Registry", "Registry.load")
        refuse_path("a monitor", relations, "Relations", "Relations.load")
        registry = Registry() if registry is None else registry
        self.counts = Counts()
        self.profile = registry.profile
        # The published profile has the published rules alone.
        self.built_in = registry.profile != "paper" if built_in is None else built_in
        """Whether results are also held against the built-in rules, which every tool has from its first call."""
        self.contracts = CompiledContracts(registry, built_in=self.built_in)
        self.relations = Relations() if relations is None else relations
        """What receipts offer; it may be exchanged as more is known."""
        # The paper's rules come with the paper's list.
        by_profile: Listing = "published" if registry.profile == "paper" else "safe"
        self.listing: Listing = by_profile if listing is None else listing
        self._encoder = ENCODERS[encoder]
        self.session_clauses = _session_clauses(registry)
        self.filter_counts = FilterCounts()
        """What the sessions of this monitor have in common."""

    def __repr__(self) -> str:
        return f"<Monitor of {len(self.contracts.by_tool)} tools, profile {self.profile or 'full'}>"

    def covers(self, tool: str, result: Json = ABSENT) -> bool:
        """Say whether there is a contract for a tool, or, where a result is given, a shape that speaks of what is in it."""
        return self.contracts.covers(tool, result)

    def checks(self, tool: str) -> bool:
        """Say whether anything is held against results of a tool: the built-in rules are, where there is no contract."""
        return self.built_in or self.covers(tool)

    def may_write(self, tool: str) -> bool:
        """Say whether calling a tool may change something, as the relations have it."""
        return self.relations.may_write(tool)

    def form(self, tool: str) -> ContractForm:
        """Return the form that a tool's contract was mined from."""
        return self.contracts.forms[tool]

    def check(self, tool: str, arguments: Mapping[str, Json], result: Json) -> tuple[Violation, ...]:
        """Return the violations of a result, the most telling first; none where it is consistent or the tool has no contract."""
        # The common case comes first and by itself: a tool that was called before, a clean result.
        try:
            if self.contracts.checks[tool].passes(arguments, result):
                self.counts.checked += 1
                return ()
        except Exception:  # noqa: BLE001, S110 - a new tool, or a form that the compiled check was not written for
            pass
        return self.conclude(evaluate(self.contracts, tool, arguments, result), alert_never).violations

    def advise(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Any:
        """Return the result itself, or, where it violates its contract, the envelope with the result and a receipt.

        `tools` are those the agent can call: the receipt names no others.
        """
        receipt = self.judge(tool, arguments, result, tools).receipt
        return result if receipt is None else envelope(result, receipt)

    def judge(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Outcome:
        """Return all that became of a result: whether it was checked, what it violates, the receipt, the time taken."""
        start = perf_counter()
        outcome = self.conclude(evaluate(self.contracts, tool, arguments, result), alert_always, tools=tools)
        if outcome.tool in self.relations.paging:
            outcome = self.inform(outcome, arguments, result, alert_always)
        return outcome.timed(perf_counter() - start)

    def session(self, task: str | None = None) -> Session:
        """Start a session: the results of one run, in order, each checked against the earlier ones."""
        return Session(self, task)

    def conclude(
        self,
        detection: Detection,
        policies: Policies,
        context: AlertContext = NO_CONTEXT,
        tools: Collection[str] | None = None,
        suspects: Collection[str] = (),
        known: Mapping[str, Json] = _NOTHING,
    ) -> Outcome:
        """Localize what was detected, decide on it, and encode the receipt; `suspects` are tools not to be offered."""
        tool, why, failures = detection.tool, detection.why, detection.failures
        if not detection.broken:
            return self.counts.add(Outcome(tool, why, failures=failures))
        contract = self.contracts.by_tool.get(tool)
        # The published profile keeps its order.
        clauses = None if self.profile == "paper" else () if contract is None else contract.clauses
        detection = localize(detection, clauses)
        try:
            decision = decide(policies, detection, context)
        except Exception:  # noqa: BLE001 - what cannot be weighed is alerted of
            failed("what to alert of a result of %r could not be decided", tool, traceback=True)
            decision = AlertDecision(detection.broken)
        broken, alerted = redacted(detection.broken), redacted(decision.broken)
        receipt, recovery, suppressed = None, tuple[str, ...](), decision.suppressed
        if not suppressed:
            receipt, recovery = self.encode(detection, alerted, tools, suspects, decision.odds, known)
            suppressed = "" if receipt is not None else "no receipt"
        outcome = Outcome(
            tool,
            why,
            broken,
            failures,
            alerted,
            suppressed,
            receipt,
            recovery,
            decision.suspended,
            decision.odds,
            decision.since,
        )
        return self.counts.add(outcome)

    def encode(
        self,
        detection: Detection,
        broken: Broken,
        tools: Collection[str] | None,
        suspects: Collection[str] = (),
        odds: float | None = None,
        known: Mapping[str, Json] = _NOTHING,
    ) -> tuple[Json, tuple[str, ...]]:
        """Return the receipt for violations, at least one, and the tools that it offers; None where that goes wrong."""
        tool, arguments = detection.tool, detection.arguments
        try:
            first, relations = broken[0][0], self.relations
            offered = actions(
                self.listing,
                tool,
                relations,
                tools,
                suspects=suspects,
                arguments=arguments,
                at_fault=arguments_at_fault(first, arguments),
            )
            recovery = tuple([action.tool for action in offered])
            finding = Finding(
                tool,
                tuple([violation for _, violation in broken]),
                recovery,
                first,
                offered,
                relations.effect(tool),
                arguments,
                detection.given,
                odds,
                relations.needed,
                known,
            )
            return self._encoder(finding), recovery
        except Exception:  # noqa: BLE001 - the result stands as it is
            words = "the receipt for a result of %r failed; the result stands as it is"
            failed(words, tool, traceback=True)
            return None, ()

    def inform(
        self,
        outcome: Outcome,
        arguments: Mapping[str, Json],
        result: Json,
        policies: Policies,
        context: AlertContext = NO_CONTEXT,
    ) -> Outcome:
        """Say of a clean result that shows that it is not the whole how to get the rest, where the tool takes an argument for that."""
        tool, takes = outcome.tool, self.relations.paging.get(outcome.tool)
        if not self.built_in or outcome.broken or outcome.why in _NOT_LOOKED_AT or takes is None:
            return outcome
        try:
            found = violated((CLAUSES["truncated"],), arguments_of(arguments), canonical(result))
            broken = self.contracts.unmuted(tool, map(BrokenClause._make, found))
            cut = Detection(tool, broken, arguments, canonical(result), result)
            if not broken or decide(policies, cut, context).suppressed:
                return outcome
            clause, violation, _ = broken[0]
            action = rest(tool, takes, arguments, violation, cut.result)
            finding = Finding(
                tool,
                (violation,),
                (tool,),
                clause,
                (action,),
                arguments=arguments,
                result=cut.result,
                needed={} if action.arguments else {tool: dict.fromkeys((*arguments, *takes), "any")},
            )
            receipt = information(finding, as_text=self._encoder is ENCODERS["text"])
            return replace(outcome, receipt=receipt, recovery=(tool,))
        except Exception:  # noqa: BLE001 - the result stands as it is
            failed("how to get the rest of a result of %r could not be said", tool, traceback=True)
            return outcome


_NOT_LOOKED_AT = frozenset({"an open failure", "failed inside"})


def _session_clauses(registry: Registry) -> dict[str, dict[What, Clause]]:
    """Return the clauses that check results against their session, by tool; none where no tool has any."""
    by_tool: dict[str, dict[What, Clause]] = {}
    for tool, contract in registry.contracts.items():
        for clause in contract.clauses:
            kind = KINDS[clause.kind]
            if isinstance(kind, SessionKind):
                by_tool.setdefault(tool, {})[kind.what(clause)] = clause
    return by_tool
