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
    help="Only what this clause said was wrong. Can be repeated.",
)
@reason
def command(event: int, folder: str, clauses: tuple[str, ...], reason: str) -> None:
    """Say that the alarm of EVENT, a number that `events --last 10` shows, was wrong: the result is right.

    It is evidence. The result is learned from, and a clause that was called wrong in two tasks is told of no more, until someone
    accepts it.
    """
    told(lambda state: wrong(state, event, clauses, reason), folder)
