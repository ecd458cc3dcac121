"""`lint`: what is wrong with a contract file as it stands."""

import click

from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import owned
from outcome_monitors.lifecycle import Remark, lint
from outcome_monitors.lifecycle.lint import LEAST_TASKS, RULES
from outcome_monitors.storage.address import shown

from ._inputs import format_option, overrides_option, registry_of
from ._output import count, write
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
    findings = [_findings(name, overrides, least_tasks) for name in contracts]
    for each in findings:
        write(each.written(form))
    return int(any(each.found for each in findings))


def _findings(name: str, overrides: Overrides, least_tasks: int) -> Findings:
    registry, file = registry_of(name), shown(name)
    remarks = lint(registry, overrides, least_tasks)
    tools = sorted({*owned(registry), *(entry.tool for entry in overrides.on(registry).in_order())})
    return Findings(
        "lint",
        name,
        registry,
        RULES,
        tools,
        [FileFinding(remark.rule, remark.tool, remark.id, remark.message) for remark in remarks],
        {"file": file, "remarks": [remark._asdict() for remark in remarks]},
        [*(_text(file, remark) for remark in remarks), f"{file}: {count(len(remarks), 'remark')}"],
    )


def _text(file: str, remark: Remark) -> str:
    clause = f" [{remark.id}]" if remark.id else ""
    return f"{file}: {remark.rule}: {remark.tool}: {remark.message}{clause}"
