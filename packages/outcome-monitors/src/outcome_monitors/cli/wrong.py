"""`wrong`: an alarm was wrong."""

import click

from outcome_monitors.learning.decisions import wrong

from ._decision import in_folder, reason, told

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors wrong 17 --in shop"""


@click.command("wrong", epilog=EPILOG)
@click.argument("event", type=click.IntRange(1))
@in_folder
@click.option(
    "--clause",
    "clauses",
    multiple=True,
    metavar="CLAUSE",
    help="Only this clause. Repeatable.",
)
@reason
def command(event: int, folder: str, clauses: tuple[str, ...], reason: str) -> None:
    """Report that the alert of EVENT was a false positive.

    A clause reported in two tasks no longer alerts until accepted.
    """
    told(lambda state: wrong(state, event, clauses, reason), folder)
