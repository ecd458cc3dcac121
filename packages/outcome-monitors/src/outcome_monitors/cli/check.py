"""`check`: which results of a trace break their contract; `replay` and `report` check in the same way."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import click

from outcome_monitors.alerting.policy import Policies, alert_always
from outcome_monitors.checking.failures import quiet
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.checking.replay import Replay
from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.model import Call, Json, Outcome, Violation
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.reports import ranked
from outcome_monitors.rules import KINDS
from outcome_monitors.traces.reader import Located, Skipped

from ._inputs import (
    TraceInputs,
    format_option,
    overrides_option,
    relations_option,
    trace_options,
    trace_report,
)
from ._output import count, fail, printable, warn, write, write_prose

EPILOG = """\b
Example:
  outcome-monitors check today.jsonl --contracts contracts.json

Exit status: 0 nothing found, 1 something found, 2 the work could not be done."""

LONGEST_VALUE = 200
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
PACKAGE = "outcome-monitors"


class Checked(NamedTuple):
    """One call, and what became of its result."""

    position: int
    """Its place among the calls read, over all files; lines that are no call do not count."""
    located: Located
    covered: bool
    outcome: Outcome

    @property
    def failed_openly(self) -> bool:
        """The call says so itself: there is no result to check."""
        return self.outcome.why == "an open failure"

    @property
    def failure(self) -> str:
        """What went wrong inside, where something did: the result was not checked, or not in full."""
        return self.outcome.failures[-1] if self.outcome.failures else ""


@dataclass(slots=True)
class CheckTally:
    """What became of all calls."""

    calls: int = 0
    checked: int = 0
    flagged: int = 0
    failed_openly: int = 0
    could_not: int = 0
    not_covered: Counter[str] = field(default_factory=Counter)
    """Calls without a contract, by tool."""
    with_alternative: int = 0
    """Flagged results whose receipt names at least two admissible actions."""
    skipped: list[Skipped] = field(default_factory=list)
    """Lines that are no call."""

    def add(self, checked: Checked) -> None:
        """Count one call."""
        self.calls += 1
        if checked.failed_openly:
            self.failed_openly += 1
        elif not checked.covered:
            self.not_covered[checked.located.call.tool] += 1
        elif checked.failure:
            self.could_not += 1
        else:
            self.checked += 1
        if checked.outcome.broken:
            self.flagged += 1
            self.with_alternative += len(checked.outcome.recovery) >= 2


def monitor_of(
    contracts: str | None, relations: Relations | None = None, overrides: Overrides | None = None
) -> Monitor:
    """Return the monitor of a contract file, with what was decided; without a file, that of the built-in rules alone."""
    registry = Registry() if contracts is None else load_contracts(contracts)
    decided = Overrides() if overrides is None else overrides
    monitor = Monitor(decided.apply(registry), relations)
    monitor.contracts.muted = decided.muted()
    return monitor


def check_all(
    calls: Iterable[Located], monitor: Monitor, tally: CheckTally, policies: Policies = alert_always
) -> Iterator[Checked]:
    """Check calls in order, counting them in `tally`."""
    replay = Replay(monitor)
    with quiet():
        for position, located in enumerate(calls):
            outcome = replay.judge(located.call, policies)
            checked = Checked(position, located, _covered(outcome, located.call, monitor), outcome)
            tally.add(checked)
            yield checked


def _covered(outcome: Outcome, call: Call, monitor: Monitor) -> bool:
    # Of a call that failed openly nobody has asked yet.
    return monitor.covers(call.tool, call.result) if call.error else outcome.why != "no contract"


def as_object(checked: Checked) -> dict[str, Json]:
    """Return what became of a call, for programs."""
    line: dict[str, Json] = {
        "index": checked.position,
        "tool": checked.located.call.tool,
        "covered": checked.covered,
        "violations": [],
        "recovery": list(checked.outcome.recovery),
    }
    for clause, violation in checked.outcome.broken:
        name = name_clause(checked.outcome.tool, clause)
        evidence = {"tasks": violation.tasks, "closest": violation.closest}
        line["violations"].append({**violation.to_json(), **evidence, "id": name.id, "clause": name.address})
    # Silence would read as a result that passed.
    if checked.failed_openly or checked.failure:
        line["checked"] = False
    return line


def as_block(checked: Checked) -> str:
    """Return what became of a call, for people."""
    file, line, call = checked.located
    task = f" (task {printable(call.task)})" if call.task is not None else ""
    lines = [f"{printable(file)}:{line}: {printable(call.tool)}{task}"]
    for clause, violation in checked.outcome.broken:
        address = name_clause(call.tool, clause).address
        held, closest = _evidence(violation)
        expected = f"expected {_shown(violation.expected)}{_bracketed(held)}"
        observed = f"observed {_shown(violation.observed)}{_bracketed(closest)}"
        lines.append(printable(f"  {violation.code}: {violation.detail} [{address}]"))
        lines.append(f"    {expected}, {observed}")
    if checked.outcome.recovery:
        lines.append(f"  can be called now: {', '.join(map(printable, checked.outcome.recovery))}")
    if checked.failure:
        lines.append(f"  could not be checked: {printable(checked.failure)}")
    return "\n".join(lines) + "\n\n"


def _shown(value: Json) -> str:
    return clip_text(json.dumps(value, ensure_ascii=False), LONGEST_VALUE)


def _evidence(violation: Violation) -> tuple[str, str]:
    """Return in how many tasks the broken property held, and the closest clean value; empty where that is not known."""
    closest = json.dumps(violation.closest, ensure_ascii=False)
    return (
        f"held in {count(violation.tasks, 'task')}" if violation.tasks else "",
        f"closest clean value {closest}" if violation.closest is not None else "",
    )


def _bracketed(*remarks: str) -> str:
    said = "; ".join(filter(None, remarks))
    return f" ({said})" if said else ""


def summary(tally: CheckTally) -> Iterator[str]:
    """Say in a few lines what became of all calls."""
    yield (
        f"{count(tally.calls, 'call')}: {tally.checked:,} checked, {tally.flagged:,} flagged,"
        f" {tally.not_covered.total():,} without a contract, {tally.failed_openly:,} failed openly,"
        f" {tally.could_not:,} could not be checked"
    )
    if tally.skipped:
        yield f"{count(len(tally.skipped), 'line')} skipped"
    if tally.not_covered:
        yield f"without a contract: {ranked(tally.not_covered)}"
    if tally.flagged:
        share = f"{tally.with_alternative / tally.flagged:.0%}"
        yield (
            "receipts with at least two admissible actions:"
            f" {tally.with_alternative:,} of {tally.flagged:,} ({share})"
        )


def _as_text(results: Iterable[Checked], tally: CheckTally) -> Iterator[str]:
    """Yield a block for each result with findings, and a summary."""
    for checked in results:
        if checked.outcome.broken or checked.failure:
            yield as_block(checked)
    yield "\n".join(map(printable, summary(tally))) + "\n"


def _as_jsonl(results: Iterable[Checked], _tally: CheckTally) -> Iterator[str]:
    """Yield an object a call, in order."""
    for checked in results:
        yield json.dumps(as_object(checked)) + "\n"


class _SarifResult(NamedTuple):
    """One thing found, on a line of a file."""

    rule: str
    message: str
    file: str
    line: int
    properties: Mapping[str, Json]


def _as_sarif(results: Iterable[Checked], tally: CheckTally) -> Iterator[str]:
    """Yield one log: a rule for each violation code, a result for each violation, a note for what was not checked."""
    found: list[_SarifResult] = []
    notes: list[Json] = []
    for checked in results:
        file, line, call = checked.located
        for violation in checked.outcome.violations:
            message = f"{call.tool}: {violation.detail}{_bracketed(*_evidence(violation))}"
            found.append(_SarifResult(violation.code, message, file, line, _properties(checked, violation)))
        if checked.failure:
            notes.append(_note("error", f"{call.tool}: could not be checked: {checked.failure}", file, line))
    notes += [_note("warning", f"line skipped: {bad.why}", bad.file, bad.line) for bad in tally.skipped]
    rules = {result.rule: _demand(result.rule) for result in found}
    yield _sarif_log(rules, found, notes, successful=not tally.could_not)


def _sarif_log(
    rules: Mapping[str, str],
    results: Iterable[_SarifResult],
    notes: Sequence[Json],
    *,
    successful: bool,
) -> str:
    """Return one SARIF log; `rules` has a sentence for each rule, `notes` say what was not checked."""
    ids = list(rules)
    invocation = {"executionSuccessful": successful, "toolExecutionNotifications": list(notes)}
    described = [{"id": rule, "shortDescription": {"text": text}} for rule, text in rules.items()]
    run = {
        "tool": {"driver": {"name": PACKAGE, "version": version(PACKAGE), "rules": described}},
        "invocations": [invocation],
        "results": [
            {
                "ruleId": result.rule,
                "ruleIndex": ids.index(result.rule),
                "level": "warning",
                "message": {"text": printable(result.message)},
                "locations": [_location(result.file, result.line)],
                "properties": dict(result.properties),
            }
            for result in results
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _note(level: str, text: str, file: str, line: int) -> Json:
    """Return a notification on a line of a file."""
    return {"level": level, "message": {"text": printable(text)}, "locations": [_location(file, line)]}


def _location(file: str, line: int) -> Json:
    path = Path(file)
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix(), errors="surrogateescape")
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}


def _demand(code: str) -> str:
    """Say what the clauses of a violation code demand."""
    return (
        next((kind.__doc__ for kind in KINDS.values() if code in {kind.code, kind.traits.schema_code}), "")
        or code
    )


def _properties(checked: Checked, violation: Violation) -> dict[str, Json]:
    return {
        "index": checked.position,
        "tool": checked.located.call.tool,
        "task": checked.located.call.task,
        "path": violation.path,
        "expected": violation.expected,
        "observed": violation.observed,
        "tasks": violation.tasks,
        "closest": violation.closest,
        "recovery": list(checked.outcome.recovery),
    }


FORMATS: Mapping[str, Callable[[Iterable[Checked], CheckTally], Iterator[str]]] = {
    "text": _as_text,
    "jsonl": _as_jsonl,
    "sarif": _as_sarif,
}


@click.command("check", epilog=EPILOG)
@click.option(
    "--contracts",
    metavar="FILE",
    help="A contract file.  [default: the built-in rules alone]",
)
@format_option(*FORMATS)
@overrides_option("Decisions of `review`: muted clauses are skipped.")
@relations_option
@trace_options
def command(
    inputs: TraceInputs,
    contracts: str | None,
    form: str,
    overrides: Overrides,
    relations: Relations | None,
) -> int:
    """Check the tool results in TRACES against contracts and the built-in rules.

    TRACES are .jsonl files (.gz), or - for stdin. Calls of one session are checked in
    order; failed calls are skipped.
    """
    monitor = monitor_of(contracts, relations, overrides)
    tally = CheckTally()
    calls = inputs.located(trace_report(inputs.strict, tally.skipped))
    for text in FORMATS[form](check_all(calls, monitor, tally), tally):
        (write_prose if form == "text" else write)(text)
    if tally.could_not:
        fail(f"{count(tally.could_not, 'result')} could not be checked")
        return 2
    if not tally.checked and contracts:
        warn(
            f"no result was checked: {count(tally.not_covered.total(), 'call')} without a contract,"
            f" {tally.failed_openly:,} failed openly"
        )
    return 1 if tally.flagged else 0
