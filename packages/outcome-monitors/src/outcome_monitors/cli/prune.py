"""`prune`: the clauses that can be given up."""

from collections.abc import Sequence

import click

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.rules import explain
from outcome_monitors.state.address import shown
from outcome_monitors.upkeep import Spare, prune, without
from outcome_monitors.upkeep.prune import LIMIT, REASONS

from ._contracts import lines_of, load_overrides, registry_of
from ._findings import MACHINE, FileFinding, Findings
from ._output import count, printable, write
from ._stores import query_options, required, with_query
from ._trace_files import read_calls

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors prune traces.jsonl --contracts contracts.json -o pruned.json

Exit status: 0 nothing to give up, 1 something, 2 the work could not be done."""

RULES = {name.replace(" ", "-"): f"The clause can go: {why}." for name, why in REASONS.items()}


@click.command("prune", epilog=EPILOG)
@click.argument("traces", nargs=-1)
@click.option("--contracts", metavar="FILE", required=True, help="A contract file.")
@click.option("-o", "--output", metavar="FILE", help="Write the contracts without them.")
@click.option("--overrides", metavar="FILE", help="Decisions of `review`: pinned and accepted clauses stay.")
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    default=LIMIT,
    show_default=True,
    help="Results to corrupt for each kind of fault.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *MACHINE]),
    default="text",
    show_default=True,
    help="The output format.",
)
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
@query_options
def command(
    traces: tuple[str, ...],
    contracts: str,
    output: str | None,
    overrides: str | None,
    limit: int,
    form: str,
    strict: bool,
    sql: str | None,
    dsn: str | None,
) -> int:
    """Find clauses that can't fire on clean TRACES, or fire only on clean results and on no injected fault."""
    inputs = required(with_query(traces, sql, dsn))
    decided = load_overrides(overrides)
    registry = registry_of(contracts)
    kept = decided.named("accept", "pin")
    spare = prune(read_calls(inputs, strict=strict), registry, kept, limit)
    if output is not None:
        without(registry, spare).save(output)
    if form == "text":
        _show(spare, registry, output)
    else:
        write(MACHINE[form](_findings(contracts, registry, spare)))
    return 1 if spare else 0


def _show(spare: Sequence[Spare], registry: Registry, output: str | None) -> None:
    for found in spare:
        write(printable(f"{found.tool}: {_message(found)} [{found.id}]") + "\n")
    clauses = sum(len(contract.clauses) for contract in registry.contracts.values())
    written = f"; {output} is written without" if output is not None else ""
    write(printable(f"{len(spare):,} of {count(clauses, 'clause')} can be given up{written}") + "\n")


def _message(found: Spare) -> str:
    fired = (
        f", in {found.fired} of {count(found.tasks, 'task')}"
        if found.fired
        else f", in {count(found.tasks, 'task')}"
    )
    return f"{explain(found.clause)}: {REASONS[found.why]}{fired}"


def _findings(name: str, registry: Registry, spare: Sequence[Spare]) -> Findings:
    lines = lines_of(name)
    found = tuple(
        FileFinding(
            one.why.replace(" ", "-"),
            one.tool,
            one.id,
            _message(one),
            lines.get((one.tool, one.clause.kind, one.clause.path), 1),
            {"tasks": one.tasks, "fired": one.fired},
        )
        for one in spare
    )
    document = {
        "clauses": [
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
    }
    return Findings("prune", shown(name), RULES, tuple(sorted(registry.contracts)), found, document)
