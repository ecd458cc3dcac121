"""The run time: check a result, and advise the agent where it violates its contract.

Every result takes one way: `evaluate` (which clauses are violated, and where), `localize` (in which order, of which member), the policies
(what the agent is alerted of) and `encode` (the receipt). `check`, `advise`, `judge` and those of a session are views of it.

A monitor never raises, never calls a tool, never changes what it is given, and never keeps a result back. What goes wrong inside is
counted and logged, and the host sees the raw result. It is built from contracts and recovery relations alone: nothing here could hold a
label, a solution or an evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, get_args

from outcome_monitors.alerting.policy import (
    NO_CONTEXT,
    AlertContext,
    AlertDecision,
    BrokenClause,
    Detection,
    alert_always,
    alert_never,
)
from outcome_monitors.contracts.identity import address
from outcome_monitors.features.feature import ABSENT
from outcome_monitors.jsonvalue.canonical import arguments_of
from outcome_monitors.jsonvalue.display import refuse_path, refuse_unknown
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.model import Encoder, Listing, Outcome
from outcome_monitors.receipts.carriers import envelope
from outcome_monitors.receipts.encoders import ENCODERS, Finding
from outcome_monitors.recovery.actions import actions, at_fault
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.rules import KINDS, evaluate_everywhere
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.base.traits import Build

from .compiled.contract import compile_contract
from .failures import failed, named
from .forms import ContractForm, form_of
from .localization import CheckedCall, localize, redacted
from .misrouted_response import MisroutedResponse
from .session import Session
from .shapes import UncoveredTools

if TYPE_CHECKING:
    from outcome_monitors.alerting.policy import PolicyFunction
    from outcome_monitors.contracts.registry import Registry
    from outcome_monitors.features.session import What
    from outcome_monitors.model import Broken, Clause, Json, Unchecked, Violation

    from .compiled.contract import FastCheck

__all__ = ["Counts", "Monitor"]


@dataclass(slots=True)
class Counts:
    """What a monitor has done so far."""

    checked: int = 0
    flagged: int = 0
    not_covered: int = 0
    failed: int = 0
    """Checks or receipts that went wrong inside; the host saw the raw result."""
    slow: int = 0
    """Contracts that could not be compiled, and are checked by the full evaluator alone."""

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
        registry: Registry,
        relations: Relations | None = None,
        *,
        encoder: Encoder = "v2",
        listing: Listing | None = None,
    ) -> None:
        refuse_unknown("receipt encoder", encoder, sorted(get_args(Encoder)))
        refuse_unknown("list", "safe" if listing is None else listing, get_args(Listing))
        refuse_path("a monitor", registry, "Registry", "Registry.load")
        refuse_path("a monitor", relations, "Relations", "Relations.load")
        self.counts = Counts()
        self.profile = registry.profile
        self._contracts = registry.contracts
        self.relations = Relations() if relations is None else relations
        """What receipts offer; it may be exchanged as more is known."""
        # The paper's rules come with the paper's list.
        by_profile: Listing = "published" if registry.profile == "paper" else "safe"
        self.listing: Listing = by_profile if listing is None else listing
        self._encode = ENCODERS[encoder]
        self._fast_checks: dict[str, FastCheck] = {}
        self._clean: dict[str, Detection] = {}
        self.session_clauses = _session_clauses(registry)
        self._uncovered = UncoveredTools(registry.shapes) if registry.shapes else None
        self._thin_contracts = _thin_contracts(registry) if registry.shapes else frozenset()
        self._misrouted = MisroutedResponse(registry.contracts) if registry.profile == "full" else None

    def covers(self, tool: str, result: Json = ABSENT) -> bool:
        """Say whether there is a contract for a tool, or, where a result is given, a shape that speaks of what is in it."""
        tool = named(tool)
        if tool in self._contracts:
            return True
        return self._uncovered is not None and result is not ABSENT and self._uncovered.covers(result)

    def may_write(self, tool: str) -> bool:
        """Say whether calling a tool may change something, as the relations have it."""
        return self.relations.may_write(tool)

    def form(self, tool: str) -> ContractForm:
        """Return the form that a tool's contract was mined from."""
        contract = self._contracts.get(tool)
        return ContractForm() if contract is None else form_of(contract)

    def check(self, tool: str, arguments: Mapping[str, Json], result: Json) -> tuple[Violation, ...]:
        """Return the violations of a result, the most telling first; none where it is consistent or the tool has no contract."""
        # The common case comes first and by itself: a tool that was seen before, a clean result.
        try:
            if self._fast_checks[tool](arguments, result):
                self.counts.checked += 1
                return ()
        except Exception:  # noqa: BLE001, S110 - a new tool, or a form that the compiled check was not written for
            pass
        return self.conclude(self.evaluate(tool, arguments, result), alert_never).violations

    def advise(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Any:
        """Return the result itself, or, where it violates its contract, the envelope with the result and a receipt.

        `tools` are those the agent can call: the receipt names no others.
        """
        outcome = self.conclude(self.evaluate(tool, arguments, result), alert_always, tools=tools)
        return result if outcome.receipt is None else envelope(result, outcome.receipt)

    def judge(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Outcome:
        """Return all that became of a result: whether it was checked, what it violates, the receipt, the time taken."""
        start = perf_counter()
        outcome = self.conclude(self.evaluate(tool, arguments, result), alert_always, tools=tools)
        return outcome.timed(perf_counter() - start)

    def session(self, task: str | None = None) -> Session:
        """Start a session: the results of one run, in order, each checked against what the run has heard before."""
        return Session(self, task)

    def evaluate(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Detection:
        """Return which clauses a result violates, and where; each clause is evaluated once."""
        if type(tool) is not str:
            tool = named(tool)
        if self._passes(tool, arguments, result):
            return self._clean[tool]
        given, failures = result, list[str]()

        def note(clause: Clause, error: Exception) -> None:
            words = "a clause of kind %r at %r could not be checked: %r"
            failures.append(failed(words, clause.kind, clause.path, error))

        broken: list[BrokenClause] = []
        try:
            result = self.form(tool).fit(given)
            if result is not given:
                arguments = arguments_of(arguments)
                if self._passes(tool, arguments, result):
                    return self._clean[tool]
            contract, uncovered = self._contracts.get(tool), self._uncovered
            if contract is not None:
                another = self._misrouted.misrouted(tool, result) if self._misrouted is not None else None
                broken += [] if another is None else [BrokenClause(*another)]
                broken += map(
                    BrokenClause._make, evaluate_everywhere(contract.clauses, arguments, result, note)
                )
                if uncovered is not None and tool in self._thin_contracts:
                    broken += uncovered.check(arguments, result, note)
            elif uncovered is not None and uncovered.covers(result):
                broken += uncovered.check(arguments, result, note)
            else:
                return Detection(tool, why="no contract")
        except Exception:  # noqa: BLE001 - nothing leaves the monitor
            broken = []
            words = "the check of a result of %r failed; the result stands as it is"
            failures.append(failed(words, tool, traceback=True))
        if not broken and not failures and tool in self._clean:
            return self._clean[tool]
        why: Unchecked = "failed inside" if failures else ""
        return Detection(tool, tuple(broken), arguments, result, given, why, tuple(failures))

    def conclude(
        self,
        detection: Detection,
        policy: PolicyFunction,
        context: AlertContext = NO_CONTEXT,
        tools: Collection[str] | None = None,
        suspects: Callable[[Broken], Collection[str]] = lambda _: (),
    ) -> Outcome:
        """Localize what was detected, have a policy decide on it, and encode the receipt; `suspects` are tools not to be offered."""
        tool = detection.tool
        if not detection.broken:
            return self.counts.add(Outcome(tool, detection.why, failures=detection.failures))
        detection = detection._replace(broken=localize(detection.broken, self._checked_call(detection)))
        try:
            decision = policy(detection, context)
        except Exception:  # noqa: BLE001 - what cannot be weighed is alerted of
            failed("what to alert of a result of %r could not be decided", tool, traceback=True)
            decision = AlertDecision(detection.broken)
        broken, alerted = detection.pairs, _redacted(decision.broken)
        receipt, recovery, suppressed = None, tuple[str, ...](), decision.suppressed
        if not suppressed:
            receipt, recovery = self.receipt(
                tool, detection.arguments, detection.given, alerted, tools, suspects(broken), decision.odds
            )
            suppressed = "" if receipt is not None else "no receipt"
        outcome = Outcome(
            tool,
            detection.why,
            broken,
            detection.failures,
            alerted,
            suppressed,
            receipt,
            recovery,
            decision.suspended,
            decision.odds,
            decision.since,
        )
        return self.counts.add(outcome)

    def receipt(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        broken: Broken,
        tools: Collection[str] | None,
        suspects: Collection[str] = (),
        odds: float | None = None,
    ) -> tuple[Json, tuple[str, ...]]:
        """Encode violations, at least one, for the agent; return the receipt and the tools offered, None where that goes wrong."""
        try:
            first = broken[0][0]
            relations, asked = self.relations, at_fault(first, arguments)
            offered = actions(
                self.listing, tool, relations, tools, suspects=suspects, arguments=arguments, at_fault=asked
            )
            recovery = tuple([action.tool for action in offered])
            finding = Finding(
                tool,
                tuple([violation for _, violation in broken]),
                recovery,
                first.source,
                offered,
                relations.effect(tool),
                arguments,
                result,
                odds,
                relations.needed,
                address(tool, first),
            )
            return self._encode(finding), recovery
        except Exception:  # noqa: BLE001 - the result stands as it is
            words = "the receipt for a result of %r failed; the result stands as it is"
            failed(words, tool, traceback=True)
            return None, ()

    def _checked_call(self, detection: Detection) -> CheckedCall | None:
        """Return what localization goes by; nothing under the published profile, which keeps its order."""
        if self.profile == "paper":
            return None
        contract = self._contracts.get(detection.tool)
        clauses = contract.clauses if contract is not None else ()
        return CheckedCall(detection.arguments, detection.result, clauses)

    def _passes(self, tool: str, arguments: Mapping[str, Json], result: Json) -> bool:
        """Say whether a result surely violates nothing; False where the compiled check cannot say."""
        fast_check = self._fast_checks.get(tool) or self._compile(tool)
        try:
            return fast_check is not None and fast_check(arguments, result)
        except Exception:  # noqa: BLE001 - a form that it was not written for
            return False

    def _compile(self, tool: str) -> FastCheck | None:
        """Compile a tool's contract at its first result; of a tool without one nothing is kept."""
        contract = self._contracts.get(tool)
        if contract is None:
            return None
        try:
            checks = [compile_contract(contract)]
        except Exception:  # noqa: BLE001 - a contract too odd to be compiled is still one to be checked
            self.counts.slow += 1
            failed("the contract of %r is checked the slow way", tool, traceback=True)
            checks = [lambda _arguments, _result: False]
        if self._misrouted is not None and self._misrouted.must_ask(tool):
            misrouted = self._misrouted
            checks.append(lambda _arguments, result: misrouted.may_be_own(tool, result))
        if self._uncovered is not None and tool in self._thin_contracts:
            checks.append(self._uncovered.fits)
        self._clean[tool] = Detection(tool, why="" if contract.clauses or self._uncovered else "no clause")
        first, *more = checks
        self._fast_checks[tool] = (
            first if not more else lambda arguments, result: all(c(arguments, result) for c in checks)
        )
        return self._fast_checks[tool]


def _redacted(broken: tuple[BrokenClause, ...]) -> Broken:
    """Return violated clauses with what may be shown; the violation at another place than the first was not localized."""
    return tuple(
        [
            (clause, redacted(clause, shown) if any(shown is one for one in places) else shown)
            for clause, shown, places in broken
        ]
    )


def _thin_contracts(registry: Registry) -> frozenset[str]:
    """Return the tools of which too little was seen to say even whether they answer with an object, a list or a text."""
    return frozenset(
        tool
        for tool, contract in registry.contracts.items()
        if not any(
            clause.path == ROOT and KINDS[clause.kind].traits.build is Build.TYPES
            for clause in contract.clauses
        )
    )


def _session_clauses(registry: Registry) -> dict[str, dict[What, Clause]]:
    """Return the clauses that check results against their session, by tool; none where no tool has any."""
    found: dict[str, dict[What, Clause]] = {}
    for tool, contract in registry.contracts.items():
        for clause in contract.clauses:
            kind = KINDS[clause.kind]
            if isinstance(kind, SessionKind):
                found.setdefault(tool, {})[kind.what(clause)] = clause
    return found
