"""The run time: check a result, and advise the agent where it violates its contract.

Every result takes one way: `evaluate` (which clauses are violated, and where), `localize` (in which order, of which member), `decide`
(what the agent is alerted of) and `encode` (the receipt). `check`, `advise`, `judge` and those of a session are views of it.

A monitor never raises, never calls a tool, never changes what it is given, and never keeps a result back. What goes wrong inside is
counted and logged, and the host sees the raw result. It is built from contracts and recovery relations alone: nothing here could hold a
label, a solution or an evaluator.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, NamedTuple, get_args

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
from outcome_monitors.jsonvalue.paths import ROOT, folded
from outcome_monitors.model import (
    Broken,
    Clause,
    Contract,
    Encoder,
    Json,
    Listing,
    Outcome,
    Unchecked,
    Violation,
)
from outcome_monitors.receipts.encoders import ENCODERS, Finding, envelope
from outcome_monitors.recovery.relations import Relations, actions, arguments_at_fault
from outcome_monitors.rules import KINDS, evaluate_everywhere, is_excused
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.base.traits import Build
from outcome_monitors.rules.built_in import BUILT_IN, finds_nothing

from .compiled import FastCheck, compile_contract
from .failures import failed, named
from .forms import ContractForm, ContractForms, MisroutedResponse
from .localization import localize, redacted
from .session import Session
from .shapes import UncoveredTools

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


class _ToolCheck(NamedTuple):
    """What results of one tool are checked by."""

    contract: Contract | None
    passes: FastCheck
    """Whether a result violates nothing; False where the compiled check cannot say."""
    clean: Detection
    """What is detected then."""
    by_shapes: bool
    """Their objects are held against shapes: there is no contract, or it says too little."""


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
        self._contracts = registry.contracts
        self.relations = Relations() if relations is None else relations
        """What receipts offer; it may be exchanged as more is known."""
        # The paper's rules come with the paper's list.
        by_profile: Listing = "published" if registry.profile == "paper" else "safe"
        self.listing: Listing = by_profile if listing is None else listing
        self._encoder = ENCODERS[encoder]
        self.session_clauses = _session_clauses(registry)
        self._checks: dict[str, _ToolCheck] = {}
        self._forms = ContractForms(registry.contracts)
        self._shapes = UncoveredTools(registry.shapes) if registry.shapes else None
        self._misrouted = MisroutedResponse(self._forms) if registry.profile == "full" else None

    def covers(self, tool: str, result: Json = ABSENT) -> bool:
        """Say whether there is a contract for a tool, or, where a result is given, a shape that speaks of what is in it."""
        if named(tool) in self._contracts:
            return True
        return self._shapes is not None and result is not ABSENT and self._shapes.covers(result)

    def may_write(self, tool: str) -> bool:
        """Say whether calling a tool may change something, as the relations have it."""
        return self.relations.may_write(tool)

    def form(self, tool: str) -> ContractForm:
        """Return the form that a tool's contract was mined from."""
        return self._forms[tool]

    def check(self, tool: str, arguments: Mapping[str, Json], result: Json) -> tuple[Violation, ...]:
        """Return the violations of a result, the most telling first; none where it is consistent or the tool has no contract."""
        # The common case comes first and by itself: a tool that was called before, a clean result.
        try:
            if self._checks[tool].passes(arguments, result):
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
        """Start a session: the results of one run, in order, each checked against the earlier ones."""
        return Session(self, task)

    def evaluate(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Detection:
        """Return which clauses a result violates, and where; each clause is evaluated once."""
        if type(tool) is not str:
            tool = named(tool)
        check = self._checks.get(tool) or self._compile(tool)
        if _passes(check, arguments, result):
            return check.clean
        given, failures, broken = result, list[str](), list[BrokenClause]()
        uncovered: Unchecked = ""

        def note(clause: Clause, error: Exception) -> None:
            words = "a clause of kind %r at %r could not be checked: %r"
            failures.append(failed(words, clause.kind, clause.path, error))

        try:
            result = self._forms[tool].fit(given)
            if result is not given:
                arguments = arguments_of(arguments)
                if _passes(check, arguments, result):
                    return check.clean
            if check.contract is not None:
                misrouted = self._misrouted.misrouted(tool, result) if self._misrouted is not None else None
                broken += [] if misrouted is None else [BrokenClause(*misrouted)]
                violated = evaluate_everywhere(check.contract.clauses, arguments, result, note)
                broken += [BrokenClause(*one) for one in violated]
            elif self._shapes is None or not self._shapes.covers(result):
                uncovered = "no contract"
            if check.by_shapes and self._shapes is not None and not uncovered:
                broken += self._shapes.check(arguments, result, note)
            if self.built_in and not _is_excused(check.contract, arguments, result):
                broken += _more(broken, _by_built_in(arguments, result, note), check.contract)
        except Exception:  # noqa: BLE001 - nothing leaves the monitor
            broken = []
            words = "the check of a result of %r failed; the result stands as it is"
            failures.append(failed(words, tool, traceback=True))
        if not broken and not failures and not uncovered:
            return check.clean
        why: Unchecked = "failed inside" if failures else uncovered
        return Detection(tool, tuple(broken), arguments, result, given, why, tuple(failures))

    def conclude(
        self,
        detection: Detection,
        policies: Policies,
        context: AlertContext = NO_CONTEXT,
        tools: Collection[str] | None = None,
        suspects: Callable[[Broken], Collection[str]] = lambda _: (),
    ) -> Outcome:
        """Localize what was detected, decide on it, and encode the receipt; `suspects` are tools not to be offered."""
        tool = detection.tool
        if not detection.broken:
            return self.counts.add(Outcome(tool, detection.why, failures=detection.failures))
        detection = localize(detection, self._clauses(tool))
        try:
            decision = decide(policies, detection, context)
        except Exception:  # noqa: BLE001 - what cannot be weighed is alerted of
            failed("what to alert of a result of %r could not be decided", tool, traceback=True)
            decision = AlertDecision(detection.broken)
        broken, alerted = detection.pairs, _redacted(decision.broken)
        receipt, recovery, suppressed = None, tuple[str, ...](), decision.suppressed
        if not suppressed:
            receipt, recovery = self.encode(
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

    def encode(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        broken: Broken,
        tools: Collection[str] | None,
        suspects: Collection[str] = (),
        odds: float | None = None,
    ) -> tuple[Json, tuple[str, ...]]:
        """Return the receipt for violations, at least one, and the tools that it offers; None where that goes wrong."""
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
                result,
                odds,
                relations.needed,
            )
            return self._encoder(finding), recovery
        except Exception:  # noqa: BLE001 - the result stands as it is
            words = "the receipt for a result of %r failed; the result stands as it is"
            failed(words, tool, traceback=True)
            return None, ()

    def _clauses(self, tool: str) -> tuple[Clause, ...] | None:
        """Return what localization goes by; nothing under the published profile, which keeps its order."""
        if self.profile == "paper":
            return None
        contract = self._contracts.get(tool)
        return () if contract is None else contract.clauses

    def _compile(self, tool: str) -> _ToolCheck:
        """Compile a tool's contract at its first result; of a tool without one nothing is kept."""
        contract, shapes = self._contracts.get(tool), self._shapes
        if contract is None:
            return _ToolCheck(None, _never, Detection(tool), by_shapes=True)
        try:
            checks = [compile_contract(contract)]
        except Exception:  # noqa: BLE001 - a contract too odd to be compiled is still one to be checked
            self.counts.slow += 1
            failed("the contract of %r is checked the slow way", tool, traceback=True)
            checks = [_never]
        if self._misrouted is not None and self._misrouted.must_ask(tool):
            misrouted = self._misrouted
            checks.append(lambda _arguments, result: misrouted.may_be_own(tool, result))
        if self.built_in:
            checks.append(finds_nothing)
        thin = shapes is not None and _is_thin(contract)
        if shapes is not None and thin:
            checks.append(shapes.passes)
        passes = checks[0]
        if len(checks) > 1:
            passes = lambda arguments, result: all(one(arguments, result) for one in checks)  # noqa: E731 - one of two
        clean = Detection(tool, why="" if contract.clauses or shapes else "no clause")
        self._checks[tool] = check = _ToolCheck(contract, passes, clean, thin)
        return check


def _passes(check: _ToolCheck, arguments: Mapping[str, Json], result: Json) -> bool:
    """Say whether a result violates nothing; False where the compiled check cannot say."""
    try:
        return check.passes(arguments, result)
    except Exception:  # noqa: BLE001 - a form that it was not written for
        return False


def _is_excused(contract: Contract | None, arguments: Mapping[str, Json], result: Json) -> bool:
    """Say whether a result refuses an argument that the contract has not heard of: that is the caller's error."""
    return contract is not None and is_excused(contract.clauses, arguments, result)


def _by_built_in(
    arguments: Mapping[str, Json], result: Json, note: Callable[[Clause, Exception], None]
) -> Iterator[BrokenClause]:
    """Yield the built-in clauses that a result violates; they read a text of JSON as what stands in it."""
    read = canonical(result) if type(result) is str else result
    return map(BrokenClause._make, evaluate_everywhere(BUILT_IN, arguments_of(arguments), read, note))


def _more(
    broken: Sequence[BrokenClause], others: Iterable[BrokenClause], contract: Contract | None
) -> Iterator[BrokenClause]:
    """Yield the other violated clauses, but for those at a place of which as much has been said, or of which the contract knows better."""
    settled = {one.violation.path for one in broken if _is_never_normal(one.clause)}
    for one in others:
        if one.violation.path not in settled and not (
            contract is not None and _admits(contract, one.violation)
        ):
            yield one


def _admits(contract: Contract, violation: Violation) -> bool:
    """Say whether clean results had what is observed, at the same place."""
    place = folded(violation.path)
    return any(KINDS[one.kind].admits(one, place, violation.observed) for one in contract.clauses)


def _is_never_normal(clause: Clause) -> bool:
    return clause.kind in KINDS and KINDS[clause.kind].traits.never_normal


def _never(_arguments: Mapping[str, Json], _result: Json) -> bool:
    return False


def _redacted(broken: tuple[BrokenClause, ...]) -> Broken:
    """Return violated clauses with what may be shown; the violation at another place than the first was not localized."""
    return tuple(
        [
            (clause, redacted(clause, shown) if any(shown is one for one in places) else shown)
            for clause, shown, places in broken
        ]
    )


def _is_thin(contract: Contract) -> bool:
    """Say whether a contract does not even know if results are objects, lists or texts."""
    return not any(
        clause.path == ROOT and KINDS[clause.kind].traits.build is Build.TYPES for clause in contract.clauses
    )


def _session_clauses(registry: Registry) -> dict[str, dict[What, Clause]]:
    """Return the clauses that check results against their session, by tool; none where no tool has any."""
    by_tool: dict[str, dict[What, Clause]] = {}
    for tool, contract in registry.contracts.items():
        for clause in contract.clauses:
            kind = KINDS[clause.kind]
            if isinstance(kind, SessionKind):
                by_tool.setdefault(tool, {})[kind.what(clause)] = clause
    return by_tool
