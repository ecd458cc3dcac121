"""`prune`: the clauses that can be given up."""

from collections.abc import Sequence

import click

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.lifecycle import Spare, prune, without
from outcome_monitors.lifecycle.prune import LIMIT, REASONS
from outcome_monitors.rules import explain

from ._inputs import TraceInputs, format_option, overrides_option, registry_of, trace_options
from ._output import count, write
from ._reports import MACHINE, FileFinding, Findings

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors prune traces.jsonl --contracts contracts.json -o pruned.json

Exit status: 0 nothing to give up, 1 something, 2 the work could not be done."""

RULES = {name.replace(" ", "-"): f"The clause can go: {why}." for name, why in REASONS.items()}


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
@format_option("text", *MACHINE)
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
    registry = registry_of(contracts)
    spare = prune(inputs.calls(), registry, overrides.named("accept", "pin"), limit)
    if output is not None:
        without(registry, spare).save(output)
    write(_findings(contracts, registry, spare, output).written(form))
    return 1 if spare else 0


def _message(found: Spare) -> str:
    fired = f"{found.fired} of " if found.fired else ""
    return f"{explain(found.clause)}: {REASONS[found.why]}, in {fired}{count(found.tasks, 'task')}"


def _findings(name: str, registry: Registry, spare: Sequence[Spare], output: str | None) -> Findings:
    found = tuple(
        FileFinding(
            one.why.replace(" ", "-"),
            one.tool,
            one.id,
            _message(one),
            {"tasks": one.tasks, "fired": one.fired},
        )
        for one in spare
    )
    document = [
        {
            "id": one.id,
            "tool": one.tool,
            "words": explain(one.clause),
            "why": one.why,
            "tasks": one.tasks,
            "fired": one.fired,
        }
        for one in spare
    ]
    clauses = sum(len(contract.clauses) for contract in registry.contracts.values())
    written = f"; {output} is written without" if output is not None else ""
    lines = [
        *(f"{one.tool}: {one.message} [{one.id}]" for one in found),
        f"{len(spare):,} of {count(clauses, 'clause')} can be given up{written}",
    ]
    tools = sorted(registry.contracts)
    return Findings("prune", name, registry, RULES, tools, found, {"clauses": document}, lines)
