"""Sessions: check each result of an agent run against the earlier ones.

A result takes the way that `monitor` describes; what the run has answered before is one more source of violated clauses.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any

from outcome_monitors.alerting.policy import (
    AlertContext,
    BrokenClause,
    Detection,
    Policies,
    alert_always,
    alert_never,
)
from outcome_monitors.features.aggregates import digest
from outcome_monitors.features.feature import is_hashed, normal_form
from outcome_monitors.features.session import What
from outcome_monitors.features.session.state import Recalled, SessionState, extract, records_to_remember
from outcome_monitors.jsonvalue.canonical import arguments_of, canonical
from outcome_monitors.jsonvalue.paths import select
from outcome_monitors.jsonvalue.times import written
from outcome_monitors.model import Clause, Json, Outcome, Violation
from outcome_monitors.receipts.encoders import envelope
from outcome_monitors.recovery.arguments import SessionValues
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.session import SessionKind
from outcome_monitors.rules.built_in import CLAUSES
from outcome_monitors.rules.built_in.history import History
from outcome_monitors.rules.built_in.proofs import SAME_FORM

from .evaluation import evaluate
from .failures import failed, named
from .first_results import FirstResults

if TYPE_CHECKING:
    from .monitor import Monitor

MAX_FLAGGED = 512
"""Calls whose last result was flagged that are remembered."""
_NOTHING: frozenset[str] = frozenset()
_runs = count()


class Session:
    """Checks the results of one run, in order; bounded memory, no I/O, as silent as the monitor it belongs to."""

    def __init__(self, monitor: "Monitor", task: str | None = None) -> None:
        self.monitor = monitor
        """What each result is checked by; it may be exchanged during a run, when contracts change."""
        self.task = task if task is not None else f"run:{next(_runs)}"
        """What its results belong to; without a name, to themselves."""
        self.witness, self.client = self.task, ""
        """What its results count as a witness for, and whose it is, where clients are told apart."""
        self._state = SessionState(lambda tool: self.monitor.may_write(tool))  # noqa: PLW0108 - the monitor may be exchanged
        self._history = History(monitor.filter_counts)
        self._forms = FirstResults()
        self._values = SessionValues()
        self._flagged: dict[tuple[str, frozenset[str]], frozenset[str]] = {}
        """Of each call whose last result was flagged, by the tool and what it was asked: the codes."""
        self._informed: set[int] = set()
        """The calls of which it was said how to get the rest."""
        self._before: frozenset[str] = _NOTHING
        """The codes that the last call had been flagged with the time before."""
        self.suspects: frozenset[str] = _NOTHING
        """The tools that are not to be offered for the last flagged result."""

    def check(
        self, tool: str, arguments: Mapping[str, Json], result: Json, *, remember: bool = True
    ) -> tuple[Violation, ...]:
        """Return the violations of a result; `remember` says whether later results are checked against it."""
        return self._run(tool, arguments, result, alert_never, remember=remember).violations

    def advise(
        self, tool: str, arguments: Mapping[str, Json], result: Json, tools: Collection[str] | None = None
    ) -> Any:
        """Return the result itself, or, where it violates its contract, the envelope with the result and a receipt."""
        outcome = self._run(tool, arguments, result, alert_always, tools=tools)
        return result if outcome.receipt is None else envelope(result, outcome.receipt)

    def judge(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        tools: Collection[str] | None = None,
        *,
        remember: bool = True,
        policies: Policies = alert_always,
        when: str | float = "",
        failed_openly: bool = False,
        covered: bool = True,
    ) -> Outcome:
        """Return all that became of a result; `policies` decide what of it the agent is alerted of.

        `when` is the time as it is written, or in seconds since 1970. A result that `failed_openly` is not checked itself, but it may
        prove that an earlier one was wrong. Of a tool that is not `covered`, no fact is remembered for the learned clauses.
        """
        start = perf_counter()
        outcome = self._run(
            tool,
            arguments,
            result,
            policies,
            remember=remember,
            tools=tools,
            when=when,
            failed_openly=failed_openly,
            covered=covered,
        )
        if remember and not outcome.broken and not outcome.why:
            for policy in policies:
                if hasattr(policy, "observe_pass"):
                    policy.observe_pass(outcome.tool, AlertContext(self.task, self.witness, self.client))
        return outcome.timed(perf_counter() - start)

    def skip(self, tool: str) -> None:
        """Note a call whose result is not checked: if the tool may write, what was answered before may no longer hold."""
        self._state.missed(tool)

    def _run(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        result: Json,
        policies: Policies,
        *,
        remember: bool = True,
        tools: Collection[str] | None = None,
        when: str | float = "",
        failed_openly: bool = False,
        covered: bool = True,
    ) -> Outcome:
        monitor = self.monitor
        if failed_openly or not covered:
            self.skip(tool)
        if failed_openly:
            detection = Detection(named(tool), why="an open failure")
        else:
            detection = evaluate(monitor.contracts, tool, arguments, result)
        try:
            if covered and not failed_openly and monitor.session_clauses:
                detection = self._against_state(detection, arguments, result, remember=remember)
            if monitor.built_in:
                detection = self._against_history(
                    detection, arguments, result, failed_openly=failed_openly, remember=remember
                )
        except Exception as error:  # noqa: BLE001 - nothing leaves the monitor
            words = failed("a result of %r could not be held against its session: %r", detection.tool, error)
            detection = detection._replace(why="failed inside", failures=(*detection.failures, words))
        tool, paging = detection.tool, detection.tool in monitor.relations.paging
        if not (detection.broken or self._flagged or paging):
            return monitor.conclude(detection, policies)
        question = _question(arguments)
        if remember and (detection.broken or self._flagged):
            self._note_flagged(tool, question, detection)
        moment = when if isinstance(when, str) else written(when)
        context = AlertContext(self.task, self.witness, self.client, moment, not remember)
        self.suspects = self._suspects(tool, question, detection) if detection.broken else _NOTHING
        outcome = monitor.conclude(detection, policies, context, tools, self.suspects, self._values.newest)
        # Once for each question, however many parts are then read.
        call = hash((tool, question))
        if paging and call not in self._informed and len(self._informed) < MAX_FLAGGED:
            outcome = monitor.inform(outcome, arguments, result, policies, context)
            if not outcome.broken and outcome.receipt is not None and remember:
                self._informed.add(call)
        return outcome

    def _against_state(
        self, detection: Detection, arguments: Mapping[str, Json], result: Json, *, remember: bool
    ) -> Detection:
        """Return the detection with all that contradicts the session, and remember what is not suspect."""
        tool, state = detection.tool, self._state
        result = canonical(result) if type(result) is str else result
        if remember:
            state.called(tool, arguments)
        entry = extract(tool, arguments, records_to_remember(arguments, result))
        clauses = self.monitor.session_clauses.get(tool)
        if clauses is not None:
            recalled = state.contradicted(tool, entry)
            found = _contradicted(clauses, recalled, result) if recalled else ()
            if found:
                if not detection.broken:
                    # Of clean results there is one detection for all.
                    fitted = self.monitor.form(tool).fit(result)
                    detection = detection._replace(arguments=arguments, result=fitted, given=result)
                detection = detection._replace(broken=(*detection.broken, *found))
        if remember and not detection.broken:
            state.remember(tool, entry)
        return detection

    def _against_history(
        self,
        detection: Detection,
        arguments: Mapping[str, Json],
        result: Json,
        *,
        failed_openly: bool,
        remember: bool,
    ) -> Detection:
        """Return the detection with what the result and the earlier ones prove of each other."""
        tool, given, value = detection.tool, arguments_of(arguments), canonical(result)
        proofs = self._history.observe(tool, given, value, failed=failed_openly) if remember else []
        if not failed_openly:
            # A contract has learned the forms from more results.
            if tool not in self.monitor.contracts.by_tool:
                proofs += [
                    (SAME_FORM.name, one) for one in self._forms.check(tool, given, value, remember=remember)
                ]
            if remember and not detection.broken and not proofs:
                self._forms.learn(tool, given, value)
                if self.monitor.relations.needed:
                    self._values.observe(tool, given, value)
        if not proofs:
            return detection
        found = [BrokenClause(CLAUSES[kind], violation) for kind, violation in proofs]
        broken = self.monitor.contracts.unmuted(detection.tool, found)
        if not broken:
            return detection
        if not detection.broken:
            detection = detection._replace(arguments=arguments, result=result, given=result)
        return detection._replace(broken=(*detection.broken, *broken))

    def _suspects(self, tool: str, question: frozenset[str], detection: Detection) -> frozenset[str]:
        """Return the tools that, asked the same, were flagged for the same thing; the tool itself where this very call was."""
        codes = {one.violation.code for one in detection.broken}
        suspects = {
            name
            for (name, theirs), flagged in self._flagged.items()
            if name != tool and flagged & codes and (theirs <= question or question <= theirs)
        }
        return frozenset(suspects | {tool} if self._before & codes else suspects)

    def _note_flagged(self, tool: str, question: frozenset[str], detection: Detection) -> None:
        """Keep what a call was flagged with last; of very many calls, the newest."""
        self._before = self._flagged.pop((tool, question), _NOTHING)
        if detection.broken:
            self._flagged[tool, question] = frozenset(one.violation.code for one in detection.broken)
            if len(self._flagged) > MAX_FLAGGED:
                self._flagged.pop(next(iter(self._flagged)))


def _question(arguments: Mapping[str, Json]) -> frozenset[str]:
    """Return what a call was asked, under whatever names: so that the calls of two tools can be compared."""
    plain = arguments_of(arguments)
    try:
        return frozenset(json.dumps(value, sort_keys=True, default=str) for value in plain.values())
    except (TypeError, ValueError, RecursionError):
        return frozenset(plain)


def _contradicted(
    clauses: Mapping[What, Clause], recalled: Iterable[Recalled], result: Json
) -> tuple[BrokenClause, ...]:
    """Return what contradicts the session: of each record and identity the first field."""
    found: dict[tuple[str, str], BrokenClause] = {}
    for what, _, before, now in recalled:
        clause = clauses.get(what)
        if clause is not None and what[:2] not in found:
            kind = KINDS[clause.kind]
            assert isinstance(kind, SessionKind)
            found[what[:2]] = BrokenClause(clause, _placed(kind, clause, before, now, result))
    return tuple(found.values())


def _placed(kind: SessionKind, clause: Clause, before: Json, now: Json, result: Json) -> Violation:
    """Say what is wrong with what is said now: as it stands in the result, and in which row, where one alone has it."""
    violation = kind.violation(clause, before, now)
    found = [
        (place, value) for place, value in select(result, violation.path) if _as_remembered(value) == now
    ]
    if found and is_hashed(now):
        violation = kind.violation(clause, before, found[0][1])
    return replace(violation, path=found[0][0]) if len(found) == 1 else violation


def _as_remembered(value: Json) -> Json:
    """Return a value as the session remembers it."""
    return digest(value) if isinstance(value, (dict, list)) else normal_form(value)
