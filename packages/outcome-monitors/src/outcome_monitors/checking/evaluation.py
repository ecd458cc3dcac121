"""Evaluate: which clauses a result violates, and where; each clause is evaluated once.

A compiled check comes first: it says that a result violates nothing, or that it cannot say. Then every clause of the contract, the
built-in rules and the shapes of objects are evaluated.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from outcome_monitors.alerting.policy import BrokenClause, Detection, is_declared
from outcome_monitors.contracts.identity import identify, names_of
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.features.feature import ABSENT
from outcome_monitors.jsonvalue.canonical import arguments_of, canonical
from outcome_monitors.jsonvalue.paths import ROOT, folded
from outcome_monitors.model import Clause, Contract, Json, Unchecked, Violation
from outcome_monitors.rules import KINDS, is_excused, violated
from outcome_monitors.rules.base.traits import Build
from outcome_monitors.rules.built_in import BUILT_IN_KINDS, clauses_for, finds_nothing

from .compiled import FastCheck, compile_contract
from .failures import failed, named
from .forms import ContractForms, MisroutedResponse
from .shapes import UncoveredTools


class ToolCheck(NamedTuple):
    """What results of one tool are checked by."""

    contract: Contract | None
    passes: FastCheck
    """Whether a result violates nothing; False where the compiled check cannot say."""
    clean: Detection
    """What is detected then."""
    by_shapes: bool
    """Their objects are held against shapes: there is no contract, or it says too little."""


class CompiledContracts:
    """The contracts of a registry, each compiled at the first result of its tool, and what else results are held against."""

    def __init__(self, registry: Registry, *, built_in: bool) -> None:
        self.built_in = built_in
        self.muted = frozenset[str]()
        """The names of built-in rules that are muted; what is muted of a contract is not in it."""
        self.by_tool = registry.contracts
        self.forms = ContractForms(registry.contracts)
        self.shapes = UncoveredTools(registry.shapes) if registry.shapes else None
        self.misrouted = MisroutedResponse(self.forms) if registry.profile == "full" else None
        self.checks: dict[str, ToolCheck] = {}

    def __getstate__(self) -> dict[str, object]:
        # What is compiled is compiled anew.
        return {**self.__dict__, "checks": {}}

    def unmuted(self, tool: str, broken: Iterable[BrokenClause]) -> tuple[BrokenClause, ...]:
        """Return the violated built-in clauses that are not muted."""
        return tuple([one for one in broken if self.muted.isdisjoint(names_of(tool, one.clause))])

    def covers(self, tool: str, result: Json = ABSENT) -> bool:
        """Say whether there is a contract for a tool, or, where a result is given, a shape that speaks of what is in it."""
        if named(tool) in self.by_tool:
            return True
        return self.shapes is not None and result is not ABSENT and self.shapes.covers(result)

    def compile(self, tool: str) -> ToolCheck:
        """Compile a tool's contract at its first result; of a tool without one nothing is kept."""
        contract, shapes = self.by_tool.get(tool), self.shapes
        if contract is None:
            alone = self.built_in and shapes is None
            return ToolCheck(
                None, finds_nothing if alone else _never, Detection(tool, why="no contract"), by_shapes=True
            )
        try:
            checks = [compile_contract(contract)]
        except Exception:  # noqa: BLE001 - a contract too odd to be compiled is still one to be checked
            failed("the contract of %r is checked the slow way", tool, traceback=True)
            checks = [_never]
        if self.misrouted is not None and self.misrouted.must_ask(tool):
            misrouted = self.misrouted
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
        self.checks[tool] = check = ToolCheck(contract, passes, clean, thin)
        return check


def evaluate(
    contracts: CompiledContracts, tool: str, arguments: Mapping[str, Json], result: Json
) -> Detection:
    """Return what a result violates."""
    if type(tool) is not str:
        tool = named(tool)
    check = contracts.checks.get(tool) or contracts.compile(tool)
    if _passes(check, arguments, result):
        return check.clean
    given, failures, broken = result, list[str](), list[BrokenClause]()
    uncovered: Unchecked = ""
    excused = False

    def note(clause: Clause, error: Exception) -> None:
        words = "a clause of kind %r at %r could not be checked: %r"
        failures.append(failed(words, clause.kind, clause.path, error))

    try:
        result = contracts.forms[tool].fit(given)
        if result is not given:
            arguments = arguments_of(arguments)
            if _passes(check, arguments, result):
                return check.clean
        if check.contract is not None:
            misrouted = (
                contracts.misrouted.misrouted(tool, result) if contracts.misrouted is not None else None
            )
            broken += [] if misrouted is None else [BrokenClause(*misrouted)]
            excused = is_excused(check.contract.clauses, arguments, result)
            clauses = () if excused else check.contract.clauses
            learned = [BrokenClause(*one) for one in violated(clauses, arguments, result, note)]
            broken += _without_restated(tool, learned)
        elif contracts.shapes is None or not contracts.shapes.covers(result):
            uncovered = "no contract"
        if check.by_shapes and contracts.shapes is not None and not uncovered:
            broken += contracts.shapes.check(arguments, result, note)
        if contracts.built_in and not excused:
            found = _more(broken, _by_built_in(tool, arguments, result, note), check.contract)
            broken += contracts.unmuted(tool, found)
    except Exception:  # noqa: BLE001 - nothing leaves the monitor
        broken = []
        words = "the check of a result of %r failed; the result stands as it is"
        failures.append(failed(words, tool, traceback=True))
    if not broken and not failures and not uncovered:
        return check.clean
    why: Unchecked = "failed inside" if failures else uncovered
    return Detection(tool, tuple(broken), arguments, result, given, why, tuple(failures))


def _without_restated(tool: str, broken: list[BrokenClause]) -> list[BrokenClause]:
    """Return violated clauses without those that were learned of what a schema or a database says too: that is one fault."""
    declared = {identify(tool, one.clause) for one in broken if is_declared(one.clause)}
    if not declared:
        return broken
    return [one for one in broken if is_declared(one.clause) or identify(tool, one.clause) not in declared]


def _passes(check: ToolCheck, arguments: Mapping[str, Json], result: Json) -> bool:
    """Say whether a result violates nothing; False where the compiled check cannot say."""
    try:
        return check.passes(arguments, result)
    except Exception:  # noqa: BLE001 - a form that it was not written for
        return False


def _by_built_in(
    tool: str, arguments: Mapping[str, Json], result: Json, note: Callable[[Clause, Exception], None]
) -> Iterator[BrokenClause]:
    """Yield the built-in clauses that a result violates; they read a text of JSON as what stands in it."""
    read = canonical(result) if type(result) is str else result
    return map(BrokenClause._make, violated(clauses_for(tool), arguments_of(arguments), read, note))


def _more(
    broken: Sequence[BrokenClause], others: Iterable[BrokenClause], contract: Contract | None
) -> Iterator[BrokenClause]:
    """Yield the other violated clauses, but for those at a place of which as much has been said, or of which the contract knows better."""
    settled = {one.violation.path for one in broken if _is_never_normal(one.clause)}
    for one in others:
        known = contract is not None and (
            any(clause.kind == one.clause.kind for clause in contract.clauses)
            or (BUILT_IN_KINDS[one.clause.kind].of_a_value and _admits(contract, one.violation))
        )
        if one.violation.path not in settled and not known:
            yield one


def _admits(contract: Contract, violation: Violation) -> bool:
    """Say whether clean results had what is observed, at the same place."""
    place = folded(violation.path)
    return any(KINDS[one.kind].admits(one, place, violation.observed) for one in contract.clauses)


def _is_never_normal(clause: Clause) -> bool:
    return clause.kind in KINDS and KINDS[clause.kind].traits.never_normal


def _never(_arguments: Mapping[str, Json], _result: Json) -> bool:
    return False


def _is_thin(contract: Contract) -> bool:
    """Say whether a contract does not even know if results are objects, lists or texts."""
    return not any(
        clause.path == ROOT and KINDS[clause.kind].traits.build is Build.TYPES for clause in contract.clauses
    )
