"""`lint`: what is wrong with a contract file as it stands."""

import click

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.lifecycle import Remark, lint
from outcome_monitors.lifecycle.lint import LEAST_TASKS, RULES
from outcome_monitors.storage.address import shown

from ._inputs import format_option, overrides_option, registry_of
from ._output import count, write, write_line
from ._reports import MACHINE, FileFinding, Findings

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors lint contracts.json

Exit status: 0 nothing found, 1 something found, 2 the work could not be done."""


@click.command("lint", epilog=EPILOG)
@click.argument("contracts", nargs=-1, required=True)
@overrides_option("Decisions of `review`: accepted clauses are skipped.")
@click.option(
    "--least-tasks",
    metavar="N",
    type=click.IntRange(0),
    default=LEAST_TASKS,
    help="Weak support means fewer tasks than this; 0 disables.",
)
@format_option("text", *MACHINE, note="; one file at a time unless text")
def command(contracts: tuple[str, ...], overrides: Overrides, least_tasks: int, form: str) -> int:
    """Find weak support, personal data and secrets in contract files."""
    if form != "text" and len(contracts) > 1:
        raise click.UsageError(f"--format {form} is for one contract file at a time")
    found = 0
    for name in contracts:
        registry = registry_of(name)
        remarks = lint(registry, overrides, least_tasks)
        found += len(remarks)
        if form == "text":
            _show(shown(name), remarks)
        else:
            write(_findings(name, registry, overrides, remarks).written(form))
    return 1 if found else 0


def _show(name: str, remarks: list[Remark]) -> None:
    for remark in remarks:
        clause = f" [{remark.id}]" if remark.id else ""
        write_line(f"{name}: {remark.rule}: {remark.tool}: {remark.message}{clause}")
    write_line(f"{name}: {count(len(remarks), 'remark')}")


def _findings(name: str, registry: Registry, overrides: Overrides, remarks: list[Remark]) -> Findings:
    found = [FileFinding(remark.rule, remark.tool, remark.id, remark.message) for remark in remarks]
    tools = sorted({*owned(registry), *(entry.tool for entry in overrides.on(registry).in_order())})
    document = {"file": shown(name), "remarks": [remark._asdict() for remark in remarks]}
    return Findings("lint", name, registry, RULES, tools, found, document)
