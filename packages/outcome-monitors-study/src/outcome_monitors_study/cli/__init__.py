"""`study`: controlled studies, frozen before they are run."""

import click

from .measures import (
    arms_command,
    audit_command,
    fetch_command,
    inventory_command,
    organic_command,
    paper_command,
    power_command,
    prices_command,
)
from .probe import probe_command
from .protocol import (
    amend_command,
    analyze_command,
    compare_command,
    freeze_command,
    run_command,
)

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors study freeze trial
  outcome-monitors study run trial
  outcome-monitors study analyze trial --html trial/report.html"""
PARTS = (
    *(fetch_command, freeze_command, run_command, amend_command, analyze_command, compare_command),
    *(inventory_command, arms_command, probe_command, organic_command, audit_command, prices_command),
    *(paper_command, power_command),
)


@click.group("study", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Run controlled studies."""
    if ctx.invoked_subcommand is None:
        *most, last = (part.name for part in PARTS)
        raise click.UsageError(f"name what to do: {', '.join(map(str, most))} or {last}")


for _part in PARTS:
    command.add_command(_part)
