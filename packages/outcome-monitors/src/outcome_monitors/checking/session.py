"""One run of an agent: its results in order, each held against what the run has heard before."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any

from outcome_monitors.memory.past import Past
from outcome_monitors.model import Broken, Clause, Json, Outcome, Violation
from outcome_monitors.receipts.encoders import envelope
from outcome_monitors.records.aggregates import digest
from outcome_monitors.records.features import is_hashed, kept
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.session import SessionKind, What
from outcome_monitors.values.paths import select
from outcome_monitors.values.times import written

from .causes import explained
from .failures import failed, named
from .policy import NOBODY, Occasion, Policy, everything

if TYPE_CHECKING:
    from outcome_monitors.memory.past import Keepsake, Recalled

    from .monitor import Monitor

__all__ = ["Session"]

MOST_FLAGGED = 512
"""Calls whose last result was flagged that are remembered."""
_NOTHING: frozenset[str] = frozenset()
_runs = count()


class Session:
    """Checks the results of one run, in order; bounded memory, no I/O, as silent as the monitor it belongs to."""

    def __init__(self, monitor: "Monitor", task: str | None = None) -> None:
        self.monitor = monitor
        """What is asked about each result; it may be exchanged during a run, when contracts change."""
        self.task = task if task is not None else f"run:{next(_runs)}"
        """What its results count as witnesses for; without a name, for itself."""
        self._past: Past | None = None
        """What it has heard; made at its first result, since a proxy answers long before there is one."""
        self._flagged: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        """Of each call whose last result was flagged, by the tool and what it was asked, for what."""
        self._before: frozenset[str] = _NOTHING
        """For what the call made last had been flagged the time before."""

    def check(
        self, tool: str, arguments: Mapping[str, Json], result: Json, *, remember: bool = True
    ) -> tuple[Violation, ...]:
        """Return the violations of a result; `remember` says whether later results are held against it."""
        outcome = self._examine(tool, arguments, result, remember=remember)
        self.monitor.counts.add(outcome)
        return outcome.violations if outcome.broken else ()

    def advise(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Any:
        """Return the result itself, or, where it breaks its contract, the envelope with the result and a receipt."""
        outcome = self._examine(tool, arguments, result)
        outcome = self._tell(outcome, arguments, result, tools) if outcome.broken else outcome
        self.monitor.counts.add(outcome)
        return result if outcome.receipt is None else envelope(result, outcome.receipt)

    def judge(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None = None,
        *,
        remember: bool = True,
        policy: Policy = everything,
        when: str | float = "",
    ) -> Outcome:
        """Return all that became of a result; `policy` decides what of it the agent is told.

        `when` is the time as it is written, or in seconds since 1970: it is written where someone asks.
        """
        start = perf_counter()
        outcome = self.decide(tool, arguments, result, tools, remember=remember, policy=policy, when=when)
        return outcome.timed(perf_counter() - start)

    def decide(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None,
        *,
        remember: bool,
        policy: Policy,
        when: str | float,
    ) -> Outcome:
        """Do the same without the time that it took: an outcome of its own costs as much as the check of a small result."""
        outcome = self._examine(tool, arguments, result, remember=remember)
        if outcome.broken:
            whose = Occasion(self.task, when if isinstance(when, str) else written(when), not remember)
            outcome = self._tell(outcome, arguments, result, tools, policy, whose)
        elif remember and not outcome.why:
            policy.kept(outcome.tool)
        return self.monitor.counts.add(outcome)

    def suspects(
        self, tool: str, arguments: Mapping[str, Json], violations: Iterable[Violation]
    ) -> frozenset[str]:
        """Return the tools not to be offered for a flagged result: asked the same, they were flagged for the same thing.

        The tool itself is one of them where the same call had been flagged before.
        """
        codes, asked = {violation.code for violation in violations}, _asked(arguments)
        found = {
            name
            for (name, theirs), flagged in self._flagged.items()
            if name != tool and flagged & codes and (theirs <= asked or asked <= theirs)
        }
        return frozenset(found | {tool} if self._before & codes else found)

    def skip(self, tool: str) -> None:
        """Note a call whose result is not checked: if the tool may write, what was heard before may no longer hold."""
        (self._past or self._begun()).missed(tool)

    def _begun(self) -> "Past":
        self._past = Past(self._may_write)
        return self._past

    def _may_write(self, tool: str) -> bool:
        """Ask the monitor of now, which need not be the one that the session began with."""
        return self.monitor.may_write(tool)

    def _tell(
        self,
        outcome: Outcome,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None,
        policy: Policy = everything,
        whose: Occasion = NOBODY,
    ) -> Outcome:
        suspects = self.suspects(outcome.tool, arguments, outcome.violations)
        return self.monitor.tell(outcome, arguments, result, tools, suspects, policy, whose)

    def _examine(
        self, tool: str, arguments: Mapping[str, Json], result: Json, *, remember: bool = True
    ) -> Outcome:
        """Hold a result against its contract, and against what the run has heard before; nobody is told yet."""
        monitor = self.monitor
        if type(tool) is not str:
            tool = named(tool)
        outcome = monitor.examine(tool, arguments, result)
        selection = monitor._selection  # noqa: SLF001 - its own monitor
        try:
            writes, past = True, self._past or self._begun()
            if remember:
                writes = past.called(tool, arguments, renews=selection is not None and selection.renews)
            heard = glance = None
            if selection is not None:
                if not writes and not outcome.broken:
                    glance = selection.glance(tool, arguments, result)
                if glance is None or not past.takes(glance):
                    heard = selection.hear(tool, arguments, result)
            if heard is not None:
                outcome = self._hold_against(past, heard, outcome, arguments, result)
                # What is suspect is not held against the next result.
                if remember and not outcome.broken:
                    past.remember(tool, heard, glance)
        except Exception as error:  # noqa: BLE001 - nothing leaves the monitor
            words = failed("a result of %r could not be held against its session: %r", tool, error)
            outcome = replace(outcome, why="failed inside", failures=(*outcome.failures, words))
        if remember and (outcome.broken or self._flagged):
            self._note(tool, arguments, outcome)
        return outcome

    def _hold_against(
        self, past: "Past", heard: "Keepsake", outcome: Outcome, arguments: Mapping[str, Json], result: Json
    ) -> Outcome:
        """Return the outcome with all that contradicts the past."""
        monitor, tool = self.monitor, outcome.tool
        clauses = monitor._remembers.get(tool)  # noqa: SLF001 - its own monitor
        if clauses is None:
            return outcome
        recalled = past.contradicted(tool, heard)
        contradicted = _contradicted(clauses, recalled, result) if recalled else ()
        if not contradicted:
            return outcome
        judged = monitor.judged(tool, arguments, result)
        return replace(outcome, broken=explained((*outcome.broken, *contradicted), judged))

    def _note(self, tool: str, arguments: Mapping[str, Json], outcome: Outcome) -> None:
        """Keep for what a call was flagged last; of very many calls, the newest."""
        call = (tool, _asked(arguments))
        self._before = self._flagged.pop(call, _NOTHING)
        if outcome.broken:
            self._flagged[call] = frozenset(violation.code for violation in outcome.violations)
            if len(self._flagged) > MOST_FLAGGED:
                self._flagged.pop(next(iter(self._flagged)))


def _asked(arguments: Mapping[str, Json]) -> frozenset[str]:
    """Return what a call was asked, under whatever names: so that the calls of two tools can be held side by side."""
    try:
        return frozenset(json.dumps(value, sort_keys=True, default=str) for value in arguments.values())
    except (ValueError, RecursionError):
        return frozenset(map(str, arguments))


def _contradicted(clauses: Mapping[What, Clause], recalled: "Iterable[Recalled]", result: Json) -> Broken:
    """Return what contradicts the past: of each record and identity the first field."""
    found: dict[tuple[str, str], tuple[Clause, Violation]] = {}
    for what, _, before, now in recalled:
        clause = clauses.get(what)
        if clause is not None and what[:2] not in found:
            kind = KINDS[clause.kind]
            assert isinstance(kind, SessionKind)
            found[what[:2]] = (clause, _placed(kind, clause, before, now, result))
    return tuple(found.values())


def _placed(kind: SessionKind, clause: Clause, before: Json, now: Json, result: Json) -> Violation:
    """Say what is wrong with what is said now: as it stands in the result, and in which row, where one alone has it."""
    violation = kind.violation(clause, before, now)
    found = [(place, value) for place, value in select(result, violation.path) if _as_kept(value) == now]
    if found and is_hashed(now):
        violation = kind.violation(clause, before, found[0][1])
    return replace(violation, path=found[0][0]) if len(found) == 1 else violation


def _as_kept(value: Json) -> Json:
    """Return a value as the session remembers it."""
    return digest(value) if isinstance(value, (dict, list)) else kept(value)
