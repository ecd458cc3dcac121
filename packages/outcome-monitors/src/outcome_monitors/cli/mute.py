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
    help="When it ends: 2026-12-01, 2026-12-01T10:00:00Z, or 7d; without, it lasts.",
)
@reason
def command(clause: str, folder: str, until: str | None, reason: str) -> None:
    """Have agents not be told of CLAUSE, an address or an id, until a date or for good.

    Running proxies and adapters take it up within two seconds, and it outlives the next mining. Results that break it are still
    flagged in the events, with the reason that nobody was told.
    """
    ends = "" if until is None else read_until(until, time.time())
    told(lambda state: mute(state, clause, ends, reason), folder)
