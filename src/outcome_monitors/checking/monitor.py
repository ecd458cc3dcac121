"""The run time: check a result, and advise the agent where it breaks its contract.

A monitor never raises, never calls a tool, never changes what it is given, and never keeps a result back. What goes wrong
inside is counted and logged, and the host sees the raw result. It is built from contracts and recovery relations alone: there
is nothing here that could hold a label, a solution or an evaluator.
"""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Clause, Encoder, Json, Violation
from outcome_monitors.receipts.encoders import ENCODERS, Finding, envelope
from outcome_monitors.records.features import ABSENT
from outcome_monitors.recovery.relations import Relations, admissible
from outcome_monitors.rules import KINDS, evaluate
from outcome_monitors.rules.base.session import SessionKind, What
from outcome_monitors.values.choices import refuse_path, refuse_unknown
from outcome_monitors.values.paths import ROOT

from .causes import Broken, explained
from .compiled.contract import Surely, compile_contract
from .origin import Whose
from .session import Session
from .shapes import Strangers

__all__ = ["Counts", "Monitor"]

log = logging.getLogger("outcome_monitors")


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


class Monitor:
    """Checks tool results against contracts."""

    def __init__(
        self, registry: Registry, relations: Relations | None = None, *, encoder: Encoder = "v2"
    ) -> None:
        refuse_unknown("receipt encoder", encoder, sorted(ENCODERS))
        refuse_path("a monitor", registry, "Registry", "Registry.load")
        refuse_path("a monitor", relations, "Relations", "Relations.load")
        self.counts = Counts()
        self._contracts = registry.contracts
        self._relations = relations or Relations()
        self._encode = ENCODERS[encoder]
        self._surely: dict[str, Surely] = {}
        self._remembers = _remembering(registry)
        self._counts_on = any(
            clause.kind == "onward" for clauses in self._remembers.values() for clause in clauses.values()
        )
        self._strangers = Strangers(registry.shapes) if registry.shapes else None
        self._hardly_known = _hardly_known(registry) if registry.shapes else frozenset()
        self._whose = Whose(registry.contracts) if registry.profile == "full" else None

    def covers(self, tool: str, result: Json = ABSENT) -> bool:
        """Say whether there is a contract for a tool, or, where a result is given, a shape that speaks of what is in it."""
        if tool in self._contracts:
            return True
        return self._strangers is not None and result is not ABSENT and self._strangers.covers(result)

    def check(self, tool: str, arguments: Mapping[str, Json], result: Json) -> tuple[Violation, ...]:
        """Return the violations of a result, the most telling first; none where it is consistent or the tool has no contract."""
        # The common case comes first and by itself: a tool that was seen before, a clean result.
        try:
            if self._surely[tool](arguments, result):
                self.counts.checked += 1
                return ()
        except Exception:  # noqa: BLE001 - a new tool, or a shape that the fast form was not written for
            if tool not in self._surely:
                return tuple(violation for _, violation in self._broken(tool, arguments, result))
        return tuple(violation for _, violation in self._plainly(tool, arguments, result))

    def advise(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Any:
        """Return the result itself, or, where it breaks its contract, the envelope with the result and a receipt.

        `tools` are those the agent can call: the receipt names no others.
        """
        return self._advised(tool, arguments, result, self._broken(tool, arguments, result), tools)

    def session(self) -> Session:
        """Start a session: the results of one run, in order, each held against what the run has heard before."""
        return Session(self)

    def _advised(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        broken: Broken,
        tools: Collection[str] | None,
        suspects: Collection[str] = (),
    ) -> Any:
        receipt = self.receipt(tool, arguments, result, broken, tools, suspects) if broken else None
        return result if receipt is None else envelope(result, receipt)

    def receipt(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        broken: Broken,
        tools: Collection[str] | None,
        suspects: Collection[str] = (),
    ) -> Json:
        """Return what to tell the agent of broken clauses, at least one; None where that itself goes wrong."""
        try:
            actions = admissible(tool, self._relations, tools, suspects)
            finding = Finding(
                tool,
                tuple(violation for _, violation in broken),
                tuple(action.tool for action in actions),
                broken[0][0].source,
                actions,
                self._relations.effect(tool),
                arguments,
                result,
            )
            return self._encode(finding)
        except Exception:
            self.counts.failed += 1
            log.exception("the receipt for a result of %r failed; the result stands as it is", tool)
            return None

    def _broken(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Broken:
        """Return each broken clause with its violation."""
        surely = self._surely.get(tool) or self._prepare(tool)
        if surely is None:
            return self._by_shape(tool, arguments, result)
        try:
            if surely(arguments, result):
                self.counts.checked += 1
                return ()
        except Exception:  # noqa: BLE001, S110 - a shape that the fast form was not written for
            pass
        return self._plainly(tool, arguments, result)

    def _by_shape(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Broken:
        """Return what a result without a contract breaks of the shapes of its objects."""
        self.counts.checked += 1
        try:
            if self._strangers is None or not self._strangers.covers(result):
                self.counts.not_covered += 1
                return ()
            broken = explained(self._strangers.check(arguments, result, self._failed))
        except Exception:
            self.counts.failed += 1
            log.exception("the check of a result of %r failed; the result stands as it is", tool)
            return ()
        self.counts.flagged += bool(broken)
        return broken

    def _plainly(self, tool: str, arguments: Mapping[str, Json], result: Json) -> Broken:
        """Return each broken clause with its violation, by the plain evaluator."""
        self.counts.checked += 1
        try:
            broken = tuple(evaluate(self._contracts[tool].clauses, arguments, result, self._failed))
            if self._strangers is not None and tool in self._hardly_known:
                broken += self._strangers.check(arguments, result, self._failed)
            another = self._whose.another(tool, result) if self._whose is not None else None
            broken = explained(broken if another is None else (another, *broken))
        except Exception:
            self.counts.failed += 1
            log.exception("the check of a result of %r failed; the result stands as it is", tool)
            return ()
        self.counts.flagged += bool(broken)
        return broken

    def _prepare(self, tool: str) -> Surely | None:
        """Compile a tool's contract at its first result."""
        contract = self._contracts.get(tool)
        if contract is None:
            return None
        try:
            surely = compile_contract(contract)
        except Exception:  # a contract too odd to be compiled is still one to be checked
            self.counts.slow += 1
            log.exception("the contract of %r is checked the slow way", tool)
            surely = _never_sure
        if self._whose is not None and self._whose.must_ask(tool):
            surely = _both(surely, partial(self._whose.may_be_own, tool))
        if self._strangers is not None and tool in self._hardly_known:
            surely = _both(surely, self._strangers.fits)
        self._surely[tool] = surely
        return surely

    def _memory_failed(self, tool: str, error: Exception) -> None:
        self.counts.failed += 1
        log.error("a result of %r could not be held against its session: %r", tool, error)

    def _failed(self, clause: Clause, error: Exception) -> None:
        self.counts.failed += 1
        log.error("a clause of kind %r at %r could not be checked: %r", clause.kind, clause.path, error)


def _never_sure(_arguments: Mapping[str, Json], _result: Json) -> bool:
    return False


def _both(first: Surely, second: Surely) -> Surely:
    return lambda arguments, result: first(arguments, result) and second(arguments, result)


def _hardly_known(registry: Registry) -> frozenset[str]:
    """Return the tools of which too little was seen to say even whether they answer with an object, a list or a text."""
    return frozenset(
        tool
        for tool, contract in registry.contracts.items()
        if not any(clause.kind == "type" and clause.path == ROOT for clause in contract.clauses)
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
