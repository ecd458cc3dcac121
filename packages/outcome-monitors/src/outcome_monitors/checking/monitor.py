"""The run time: check a result, and advise the agent where it breaks its contract.

A monitor never raises, never calls a tool, never changes what it is given, and never keeps a result back. What goes wrong
inside is counted and logged, and the host sees the raw result. It is built from contracts and recovery relations alone: there
is nothing here that could hold a label, a solution or an evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, get_args

from outcome_monitors.contracts.identity import address
from outcome_monitors.memory.selection import Selection
from outcome_monitors.model import Encoder, Listing, Outcome
from outcome_monitors.receipts.encoders import encoded, envelope
from outcome_monitors.receipts.finding import Finding
from outcome_monitors.records.features import ABSENT
from outcome_monitors.recovery.actions import actions, at_fault
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.rules import KINDS, evaluate
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.base.traits import Build
from outcome_monitors.values.canonical import arguments_of
from outcome_monitors.values.choices import refuse_path, refuse_unknown
from outcome_monitors.values.memo import once_for_each
from outcome_monitors.values.paths import ROOT

from .blame import Judged
from .causes import explained
from .compiled.clauses import Doubts
from .compiled.contract import compile_contract
from .failures import failed, named
from .forms import ContractForm, form_of
from .origin import Whose
from .policy import NOBODY, Found, everything
from .session import Session
from .shapes import Strangers

if TYPE_CHECKING:
    from outcome_monitors.contracts.registry import Registry
    from outcome_monitors.memory import What
    from outcome_monitors.model import Broken, Clause, Json, Violation

    from .compiled.contract import Surely
    from .policy import Occasion, Policy

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
    """Contracts that could not be compiled, and are checked by the plain evaluator alone."""

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
        self.listing: Listing = _default_list(registry.profile) if listing is None else listing
        """Which list receipts hold: profile `paper` has the published one, all else the safe one."""
        self._encode: Callable[[Finding], Json] = lambda finding: encoded(encoder, finding)
        self._surely: dict[str, Surely] = {}
        self._doubts = Doubts(registry.contracts)
        self._clean: dict[str, Outcome] = {}
        self._remembers = _remembering(registry)
        self._selection = Selection(self._remembers) if self._remembers else None
        self._strangers = Strangers(registry.shapes) if registry.shapes else None
        self._hardly_known = _hardly_known(registry) if registry.shapes else frozenset()
        self._whose = Whose(registry.contracts) if registry.profile == "full" else None

    def covers(self, tool: str, result: Json = ABSENT) -> bool:
        """Say whether there is a contract for a tool, or, where a result is given, a shape that speaks of what is in it."""
        tool = named(tool)
        if tool in self._contracts:
            return True
        return self._strangers is not None and result is not ABSENT and self._strangers.covers(result)

    def may_write(self, tool: str) -> bool:
        """Say whether calling a tool may change something, as the relations have it."""
        return self.relations.may_write(tool)

    def check(self, tool: str, arguments: Mapping[str, Json], result: Json) -> tuple[Violation, ...]:
        """Return the violations of a result, the most telling first; none where it is consistent or the tool has no contract."""
        # The common case comes first and by itself: a tool that was seen before, a clean result.
        try:
            if self._surely[tool](arguments, result):
                self.counts.checked += 1
                return ()
        except Exception:  # noqa: BLE001 - a new tool, or a shape that the fast form was not written for
            tool = named(tool)
            if tool not in self._surely:
                return self.counts.add(self.examine(tool, arguments, result)).violations
        return self.counts.add(self._plainly(tool, arguments, result)).violations

    def advise(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Any:
        """Return the result itself, or, where it breaks its contract, the envelope with the result and a receipt.

        `tools` are those the agent can call: the receipt names no others.
        """
        outcome = self.examine(tool, arguments, result)
        outcome = self.tell(outcome, arguments, result, tools) if outcome.broken else outcome
        self.counts.add(outcome)
        return result if outcome.receipt is None else envelope(result, outcome.receipt)

    def judge(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Outcome:
        """Return all that became of a result: whether it was checked, what it breaks, the receipt, the time taken."""
        start = perf_counter()
        outcome = self.examine(tool, arguments, result)
        outcome = self.tell(outcome, arguments, result, tools) if outcome.broken else outcome
        return self.counts.add(outcome.timed(perf_counter() - start))

    def session(self, task: str | None = None) -> Session:
        """Start a session: the results of one run, in order, each held against what the run has heard before."""
        return Session(self, task)

    def examine(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Outcome:
        """Hold a result against its contract; it is not counted yet, and nobody is told. For sessions."""
        if type(tool) is not str:
            tool = named(tool)
        surely = self._surely.get(tool) or self._prepare(tool, result)
        try:
            if surely(arguments, result):
                return self._clean[tool]
        except Exception:  # noqa: BLE001, S110 - a shape that the fast form was not written for
            pass
        return self._plainly(tool, arguments, result)

    def tell(
        self,
        outcome: Outcome,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None,
        suspects: Collection[str] = (),
        policy: Policy = everything,
        whose: Occasion = NOBODY,
    ) -> Outcome:
        """Return the outcome of a result that breaks something with what the agent is told, or why it is not."""
        tool, receipt = outcome.tool, None
        found = Found(tool, outcome.broken, arguments, result, whose)
        proven, untold, suspended, odds, since = policy(found)
        recovery: tuple[str, ...] = ()
        if not untold:
            receipt, recovery = self.receipt(tool, arguments, result, proven, tools, suspects, odds)
            untold = "" if receipt is not None else "no receipt"
        return Outcome(
            tool,
            outcome.why,
            outcome.broken,
            outcome.failures,
            proven,
            untold,
            receipt,
            recovery,
            suspended,
            odds,
            since,
        )

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
        """Return what to tell the agent of broken clauses, at least one, and the tools offered; None where that goes wrong."""
        try:
            first = broken[0][0]
            offered = actions(
                self.listing,
                tool,
                self.relations,
                tools,
                suspects=suspects,
                arguments=arguments,
                at_fault=at_fault(first, arguments),
            )
            recovery = tuple([action.tool for action in offered])
            violations = tuple([violation for _, violation in broken])
            finding = Finding(
                tool,
                violations,
                recovery,
                first.source,
                offered,
                self.relations.effect(tool),
                arguments,
                result,
                odds,
                self.relations.needed,
                _address(tool, first),
            )
            return self._encode(finding), recovery
        except Exception:  # noqa: BLE001 - the result stands as it is
            words = "the receipt for a result of %r failed; the result stands as it is"
            failed(words, tool, traceback=True)
            return None, ()

    def _plainly(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Outcome:
        """Hold a result against its contract by the plain evaluator; without one, against the shapes of its objects."""
        failures: list[str] = []
        try:
            value = self.form(tool).fit(result)
            if value is not result:
                given = arguments_of(arguments)
                if self._is_sure(tool, given, value):
                    return self._clean[tool]
                arguments, result = given, value
            if tool in self._contracts:
                broken = self._broken(tool, arguments, result, failures)
            elif self._strangers is not None and self._strangers.covers(result):
                broken = self._strangers.check(arguments, result, partial(_clause_failed, failures))
            else:
                return _not_covered(tool)
            broken = explained(broken, self._judged(tool, arguments, result)) if broken else ()
        except Exception:  # noqa: BLE001 - nothing leaves the monitor
            broken = ()
            words = "the check of a result of %r failed; the result stands as it is"
            failures.append(failed(words, tool, traceback=True))
        if not broken and not failures and tool in self._clean:
            return self._clean[tool]
        return Outcome(tool, "failed inside" if failures else "", broken, tuple(failures))

    def judged(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Judged | None:
        """Return what blame is laid by; None under contracts of the published profile, which keep their order. For sessions."""
        return self._judged(tool, arguments, self.form(tool).fit(result)) if self.profile != "paper" else None

    def _judged(self, tool: str, arguments: Mapping[str, Json], fitting: Json) -> Judged | None:
        """Return the same of a result in the form that its contract was learned from."""
        if self.profile == "paper":
            return None
        contract = self._contracts.get(tool)
        return Judged(arguments, fitting, contract.clauses if contract is not None else ())

    def form(self, tool: str) -> ContractForm:
        """Return the form that a tool's contract was learned from."""
        contract = self._contracts.get(tool)
        return ContractForm() if contract is None else form_of(contract)

    def _is_sure(self, tool: str, arguments: Mapping[str, Json], result: Json) -> bool:
        try:
            return tool in self._surely and self._surely[tool](arguments, result)
        except Exception:  # noqa: BLE001 - a shape that the fast form was not written for
            return False

    def _broken(self, tool: str, arguments: Mapping[str, Json], result: Json, failures: list[str]) -> Broken:
        """Return each broken clause with its violation, in the order of the contract."""
        note = partial(_clause_failed, failures)
        doubted = self._doubts.of(tool, arguments, result)
        broken = tuple(evaluate(self._contracts[tool].clauses, arguments, result, note, doubted))
        if self._strangers is not None and tool in self._hardly_known:
            broken += self._strangers.check(arguments, result, note)
        another = self._whose.another(tool, result) if self._whose is not None else None
        return broken if another is None else (another, *broken)

    def _prepare(self, tool: str, result: Json) -> Surely:
        """Compile a tool's contract at its first result; of a tool without one nothing is kept."""
        contract = self._contracts.get(tool)
        if contract is None:
            return _never_sure
        try:
            surely = compile_contract(contract, result)
        except Exception:  # noqa: BLE001 - a contract too odd to be compiled is still one to be checked
            self.counts.slow += 1
            failed("the contract of %r is checked the slow way", tool, traceback=True)
            surely = _never_sure
        if self._whose is not None and self._whose.must_ask(tool):
            surely = _both(surely, partial(self._whose.may_be_own, tool))
        if self._strangers is not None and tool in self._hardly_known:
            surely = _both(surely, self._strangers.fits)
        # All clean results of a tool have one outcome, made once.
        self._clean[tool] = Outcome(tool, "" if contract.clauses or self._strangers else "no clause")
        self._surely[tool] = surely
        return surely


def _default_list(profile: str) -> Listing:
    """Return the list of a profile: the paper's rules come with the paper's list."""
    return "published" if profile == "paper" else "safe"


def _clause_failed(failures: list[str], clause: Clause, error: Exception) -> None:
    words = "a clause of kind %r at %r could not be checked: %r"
    failures.append(failed(words, clause.kind, clause.path, error))


def _address(tool: str, clause: Clause) -> str:
    """Return where a clause is, told once of each that is broken: that takes as long as to find it."""
    known = _addresses(clause)
    if tool not in known:
        known[tool] = address(tool, clause)
    return known[tool]


@once_for_each(4096)
def _addresses(_clause: Clause) -> dict[str, str]:
    """Return the addresses of a clause, by tool, none as yet."""
    return {}


@lru_cache(maxsize=1024)
def _not_covered(tool: str) -> Outcome:
    return Outcome(tool, "no contract")


def _never_sure(_arguments: Mapping[str, Json], _result: Json) -> bool:
    return False


def _both(first: Surely, second: Surely) -> Surely:
    return lambda arguments, result: first(arguments, result) and second(arguments, result)


def _hardly_known(registry: Registry) -> frozenset[str]:
    """Return the tools of which too little was seen to say even whether they answer with an object, a list or a text."""
    return frozenset(
        tool
        for tool, contract in registry.contracts.items()
        if not any(
            clause.path == ROOT and KINDS[clause.kind].build is Build.TYPES for clause in contract.clauses
        )
    )


def _remembering(registry: Registry) -> dict[str, dict[What, Clause]]:
    """Return the clauses that hold results against their session, by tool; none where no tool has any."""
    found: dict[str, dict[What, Clause]] = {}
    for tool, contract in registry.contracts.items():
        for clause in contract.clauses:
            kind = KINDS[clause.kind]
            if isinstance(kind, SessionKind):
                found.setdefault(tool, {})[kind.what(clause)] = clause
    return found
