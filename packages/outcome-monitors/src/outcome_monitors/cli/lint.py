"""`lint`: what is wrong with a contract file as it stands."""

import click

from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.state.address import shown
from outcome_monitors.upkeep import Overrides, Remark, identify, lint
from outcome_monitors.upkeep.lint import LEAST_TASKS, RULES

from ._contracts import lines_of, load_overrides, registry_of
from ._findings import MACHINE, FileFinding, Findings
from ._output import count, printable, write

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors lint contracts.json

Exit status: 0 nothing found, 1 something found, 2 the work could not be done."""


@click.command("lint", epilog=EPILOG)
@click.argument("contracts", nargs=-1, required=True)
@click.option("--overrides", metavar="FILE", help="Decisions of `review`: accepted clauses are skipped.")
@click.option(
    "--least-tasks",
    metavar="N",
    type=click.IntRange(0),
    default=LEAST_TASKS,
    show_default=True,
    help="Weak support means fewer tasks than this; 0 disables.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *MACHINE]),
    default="text",
    show_default=True,
    help="The output format; one file at a time unless text.",
)
def command(contracts: tuple[str, ...], overrides: str | None, least_tasks: int, form: str) -> int:
    """Find weak support, personal data and secrets in contract files."""
    if form != "text" and len(contracts) > 1:
        raise click.UsageError(f"--format {form} is for one contract file at a time")
    decided = load_overrides(overrides)
    found = 0
    for name in contracts:
        registry = registry_of(name)
        remarks = lint(registry, decided, least_tasks)
        found += len(remarks)
        if form == "text":
            _show(shown(name), remarks)
        else:
            write(MACHINE[form](_findings(name, registry, decided, remarks)))
    return 1 if found else 0


def _show(name: str, remarks: list[Remark]) -> None:
    for remark in remarks:
        clause = f" [{remark.id}]" if remark.id else ""
        write(printable(f"{name}: {remark.rule}: {remark.tool}: {remark.message}{clause}") + "\n")
    write(printable(f"{name}: {count(len(remarks), 'remark')}") + "\n")


def _findings(name: str, registry: Registry, overrides: Overrides, remarks: list[Remark]) -> Findings:
    lines = lines_of(name)
    where = {
        identify(tool, clause): lines.get((tool, clause.kind, clause.path), 1)
        for tool, clauses in owned(registry).items()
        for clause in clauses
    }
    found = tuple(
        FileFinding(remark.rule, remark.tool, remark.id, remark.message, where.get(remark.id, 1))
        for remark in remarks
    )
    tools = sorted({*owned(registry), *(entry.tool for entry in overrides.on(registry).in_order())})
    document = {"file": shown(name), "remarks": [remark._asdict() for remark in remarks]}
    return Findings("lint", shown(name), RULES, tuple(tools), found, document)
