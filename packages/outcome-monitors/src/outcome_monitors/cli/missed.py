"""`missed`: a result was a fault, and nobody was told."""

import click

from outcome_monitors.learning.decisions import missed

from ._decision import in_folder, reason, told

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors missed 16 --in shop"""


@click.command("missed", epilog=EPILOG)
@click.argument("event", type=click.IntRange(1))
@in_folder
@reason
def command(event: int, folder: str, reason: str) -> None:
    """Report that the result of EVENT was a fault without an alert; it isn't learned from."""
    told(lambda state: missed(state, event, reason), folder)
