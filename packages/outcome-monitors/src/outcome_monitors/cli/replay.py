"""`replay`: recorded calls as if live: the alerts that the agent would have had, and what has changed."""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing

import click

from outcome_monitors.alerting.alert_policy import alert_policies, default_policies
from outcome_monitors.alerting.changes import questions
from outcome_monitors.alerting.policy import Policies
from outcome_monitors.alerting.severity import probability
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.learning.storage import StorageConfig
from outcome_monitors.model import BUDGET, Outcome
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.storage.address import is_address
from outcome_monitors.storage.opening import current_storage

from ._inputs import (
    TraceInputs,
    format_option,
    overrides_option,
    relations_option,
    share_option,
    trace_options,
    trace_report,
)
from ._output import count, printable, write, write_line, write_prose
from .check import Checked, CheckTally, as_block, as_object, check_all, monitor_of, summary

EPILOG = """\b
Example:
  outcome-monitors replay this-week.jsonl --contracts contracts.json --state state

Exit status: 0 no alert, 1 alerts, 2 the work could not be done."""

_WHY: Mapping[str, str] = {
    "nothing broken": "nothing is broken",
    "a change": "what breaks it has become usual",
    "slight": "too little speaks for a fault",
    "another form": "the contract was learned from another form of the results",
    "no receipt": "no receipt could be written",
}


@click.command("replay", epilog=EPILOG)
@click.option(
    "--contracts",
    metavar="FILE",
    help="A contract file.  [default: the built-in rules alone]",
)
@click.option(
    "--state",
    metavar="FOLDER",
    help="Change-detection state to continue from and save to.",
)
@format_option("text", "jsonl")
@share_option("--budget", BUDGET, "The allowed share of alerts on right results.")
@overrides_option("Decisions of `review`: muted clauses are skipped.")
@relations_option
@trace_options
def command(
    inputs: TraceInputs,
    contracts: str | None,
    state: str | None,
    form: str,
    budget: float,
    overrides: Overrides,
    relations: Relations | None,
) -> int:
    """Replay TRACES in order, as if live, and show which results would alert the agent."""
    if budget <= 0:
        raise click.UsageError("a budget of 0 would suppress every alert: give --budget a share above 0")
    monitor = monitor_of(contracts, relations, overrides)
    tally, told = CheckTally(), 0
    calls = inputs.located(trace_report(inputs.strict, tally.skipped))
    as_written = _as_jsonl if form == "jsonl" else _as_text
    if state is not None and is_address(state):
        # Brings the copy of what the fleet knows up.
        current_storage(state).close()
    with closing(StorageConfig(state=state)) as storage:
        policies = default_policies(monitor.profile, budget=budget, state=storage.usual())
        for checked in check_all(calls, monitor, tally, policies):
            told += checked.outcome.told
            (write_prose if form == "text" else write)(as_written(checked))
        for detecting in alert_policies(policies):
            detecting.save()
    if form == "text":
        for line in (*summary(tally), count(told, "alert"), *_changed(policies)):
            write_line(line)
    return 1 if told else 0


def _as_jsonl(checked: Checked) -> str:
    outcome = checked.outcome
    line = as_object(checked) | {
        "told": outcome.told,
        "why": _why(outcome),
        "suspended": list(outcome.suspended),
    }
    return json.dumps(line) + "\n"


def _as_text(checked: Checked) -> str:
    """Write a block for an alert or an internal error, and nothing else."""
    if not (checked.outcome.told or checked.failure):
        return ""
    return as_block(checked).rstrip("\n") + f"\n  alert: {printable(_why(checked.outcome))}\n\n"


def _why(outcome: Outcome) -> str:
    """Say why a result alerts, or why not."""
    if outcome.why == "an open failure":
        return "it failed openly"
    if outcome.why == "no contract":
        return "there is no contract"
    if outcome.untold:
        return _WHY.get(outcome.untold, outcome.untold)
    if outcome.since:
        return f"there has been no answer since {outcome.since}"
    return (
        "it breaks its contract"
        if outcome.odds is None
        else f"a fault is {probability(outcome.odds):.0%} likely"
    )


def _changed(policies: Policies) -> Iterator[str]:
    changes = questions(change for one in alert_policies(policies) for change in one.changes.changes())
    yield "what changed:" if changes else "nothing changed"
    for change in changes:
        yield f"  {change.sentence()}"
