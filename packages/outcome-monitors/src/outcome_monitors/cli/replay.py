"""`replay`: recorded calls as if live; what an agent would have been told, and what has changed."""

import json
from collections.abc import Iterator, Mapping
from contextlib import nullcontext

import click

from outcome_monitors.alerting.alert_policy import alert_policies, usual_policy
from outcome_monitors.alerting.policy import Policies
from outcome_monitors.alerting.severity import probability
from outcome_monitors.model import BUDGET, Call, Outcome
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.state.opening import signatures_at

from ._check_traces import Checked, CheckTally, calls_in, check_all, monitor_of
from ._contracts import load_overrides
from ._formats import as_block, as_object, summary
from ._output import count, printable, write
from ._share_option import SHARE
from ._stores import query_options, required, with_query

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors replay this-week.jsonl --contracts contracts.json --state state

Exit status: 0 an agent would have been told nothing, 1 something, 2 the work could not be done."""

_ANY = Call("", {}, None, task="")
"""All contracts of a file, or of a fold index, are of one profile."""
_WHY: Mapping[str, str] = {
    "nothing broken": "nothing is broken",
    "a change": "what breaks it has become usual",
    "slight": "too little speaks for a fault",
    "another form": "the contract was learned from another form of the results",
    "no receipt": "no receipt could be written",
}


@click.command("replay", epilog=EPILOG)
@click.argument("traces", nargs=-1)
@click.option("--contracts", required=True, metavar="FILE", help="A contract file or fold index.")
@click.option(
    "--state",
    metavar="FOLDER",
    help="Change-detection state to continue from and save to.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "jsonl"]),
    default="text",
    show_default=True,
    help="The output format.",
)
@click.option(
    "--budget",
    type=SHARE,
    default=BUDGET,
    show_default=True,
    help="The allowed share of alerts on right results.",
)
@click.option("--overrides", metavar="FILE", help="Decisions of `review`: muted clauses are skipped.")
@click.option("--relations", metavar="FILE", help="Recovery relations.")
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
@query_options
def command(
    traces: tuple[str, ...],
    contracts: str,
    state: str | None,
    form: str,
    budget: float,
    overrides: str | None,
    relations: str | None,
    strict: bool,
    sql: str | None,
    dsn: str | None,
) -> int:
    """Replay TRACES in order, as if live, and show which results would alert the agent."""
    if budget <= 0:
        raise click.UsageError("a budget of 0 would tell nothing: name a share above it with --budget")
    inputs = required(with_query(traces, sql, dsn))
    change = load_overrides(overrides).apply
    substitutes = Relations.load(relations) if relations is not None else None
    monitors = monitor_of(contracts, None, substitutes, change)
    profile = monitors(_ANY).profile
    tally, told = CheckTally(), 0
    as_written = _as_jsonl if form == "jsonl" else _as_text
    with nullcontext(None) if state is None else signatures_at(state) as usual:
        policy = usual_policy(profile, budget=budget, state=usual)
        for checked in check_all(calls_in(inputs, strict, tally), monitors, tally, policy):
            told += checked.outcome.told
            write(as_written(checked))
        for detecting in alert_policies(policy):
            detecting.save()
    if form == "text":
        write("\n".join((*summary(tally), f"{count(told, 'result')} told", *_changed(policy))) + "\n")
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
    """Write a block for a result that is told, and nothing for one that is not."""
    if not (checked.outcome.told or checked.failure):
        return ""
    return as_block(checked).rstrip("\n") + f"\n  told: {printable(_why(checked.outcome))}\n\n"


def _why(outcome: Outcome) -> str:
    """Say why a result is told, or why not."""
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


def _changed(policy: Policies) -> Iterator[str]:
    changes = [change for one in alert_policies(policy) for change in one.changes.changes()]
    yield "what changed:" if changes else "nothing changed"
    for change in changes:
        yield f"  {printable(change.sentence())}"
