"""`study`: controlled studies, frozen before they are run."""

from pathlib import Path

import click

from outcome_monitors.cli._output import count, printable, write
from outcome_monitors_study.manifest import amend

from .analyze import analyze_command, arms_command, compare_command
from .audit import audit_command, prices_command
from .fetch import fetch_command
from .freeze import freeze_command
from .organic import organic_command
from .probe import probe_command
from .run import run_command
from .turn import turn_command

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors study freeze trial
  outcome-monitors study run trial
  outcome-monitors study analyze trial --html trial/report.html"""


@click.group("study", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Run controlled studies."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError(
            "name what to do: fetch, freeze, run, turn, amend, analyze, compare, arms, probe, organic, audit or prices"
        )


for _each in (
    fetch_command,
    freeze_command,
    run_command,
    turn_command,
    analyze_command,
    compare_command,
    arms_command,
    organic_command,
    probe_command,
    audit_command,
    prices_command,
):
    command.add_command(_each)


@command.command(
    "amend", epilog='\b\nExample:\n  outcome-monitors study amend trial --reason "a typo in the contracts"'
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--reason", metavar="TEXT", required=True, help="A reason, kept with the study.")
def amend_command(folder: Path, reason: str) -> None:
    """Accept a changed study, and record what changed and how many outcomes had been seen."""
    made = amend(folder, reason)
    changed = ", ".join(made["changed"]) or "nothing"
    write(printable(f"{folder}: amended ({changed}) after {count(made['episodes seen'], 'episode')}") + "\n")
