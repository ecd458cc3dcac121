"""`unmute`: a clause that agents are to be told of again."""

import click

from outcome_monitors.learning.decisions import unmute

from ._decision import in_folder, told

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors unmute get_order.total/positive#f3e2 --in shop"""


@click.command("unmute", epilog=EPILOG)
@click.argument("clause")
@in_folder
def command(clause: str, folder: str) -> None:
    """Resume alerts of CLAUSE."""
    told(lambda state: unmute(state, clause), folder)
