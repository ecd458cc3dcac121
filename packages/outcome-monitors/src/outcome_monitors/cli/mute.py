"""`mute`: a clause that agents are not to be told of."""

import time

import click

from outcome_monitors.learning.decisions import mute, read_until

from ._decision import in_folder, reason, told

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors mute get_order.total/positive#f3e2 --in shop --until 7d"""


@click.command("mute", epilog=EPILOG)
@click.argument("clause")
@in_folder
@click.option(
    "--until",
    metavar="DATE",
    help="The end: 2026-12-01, 2026-12-01T10:00:00Z or 7d; default never.",
)
@reason
def command(clause: str, folder: str, until: str | None, reason: str) -> None:
    """Suppress alerts of CLAUSE (an address or id), until a date or for good.

    Running proxies and adapters take it up within two seconds. Results are still flagged in the events.
    """
    ends = "" if until is None else read_until(until, time.time())
    told(lambda state: mute(state, clause, ends, reason), folder)
