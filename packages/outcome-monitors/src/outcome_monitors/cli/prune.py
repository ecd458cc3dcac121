"""`prune`: the clauses that can be given up."""

import json

import click

from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.lifecycle import Spare, prune, without
from outcome_monitors.lifecycle.prune import LIMIT, REASONS
from outcome_monitors.model import Json
from outcome_monitors.rules import explain

from ._inputs import TraceInputs, format_option, overrides_option, trace_options
from ._output import count, write, write_line

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors prune traces.jsonl --contracts contracts.json -o pruned.json

Exit status: 0 nothing to give up, 1 something, 2 the work could not be done."""


@click.command("prune", epilog=EPILOG)
@click.option("--contracts", metavar="FILE", required=True, help="A contract file.")
@click.option("-o", "--output", metavar="FILE", help="Write the contracts without them.")
@overrides_option("Decisions of `review`: pinned and accepted clauses stay.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    default=LIMIT,
    help="Results to corrupt for each kind of fault.",
)
@format_option("text", "json")
@trace_options
def command(
    inputs: TraceInputs,
    contracts: str,
    output: str | None,
    overrides: Overrides,
    limit: int,
    form: str,
) -> int:
    """Find clauses that can't fire on clean TRACES, or fire only on clean results and on no injected fault."""
    registry = load_contracts(contracts)
    spare = prune(inputs.calls(), registry, overrides.named("accept", "pin"), limit)
    if output is not None:
        without(registry, spare).save(output)
    if form == "json":
        write(json.dumps({"clauses": [_json(one) for one in spare]}, indent=2) + "\n")
    else:
        for one in spare:
            write_line(f"{one.tool}: {_message(one)} [{one.id}]")
        clauses = sum(len(contract.clauses) for contract in registry.contracts.values())
        written = f"; {output} is written without" if output is not None else ""
        write_line(f"{len(spare):,} of {count(clauses, 'clause')} can be given up{written}")
    return 1 if spare else 0


def _message(found: Spare) -> str:
    fired = f"{found.fired} of " if found.fired else ""
    return f"{explain(found.clause)}: {REASONS[found.why]}, in {fired}{count(found.tasks, 'task')}"


def _json(found: Spare) -> Json:
    return {
        "id": found.id,
        "tool": found.tool,
        "words": explain(found.clause),
        "why": found.why,
        "tasks": found.tasks,
        "fired": found.fired,
    }
