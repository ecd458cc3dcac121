"""`accept`: what has changed at a clause is right."""

import click

from outcome_monitors.learning.decisions import accept

from ._decision import in_folder, reason, told

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors accept get_order.status/domain#2be3 --in shop"""


@click.command("accept", epilog=EPILOG)
@click.argument("clause")
@in_folder
@reason
def command(clause: str, folder: str, reason: str) -> None:
    """Accept the change at CLAUSE (an address or id), so that it no longer waits for review.

    Without a change, the clause itself is accepted: lint and prune skip it, and it alerts again.
    """
    told(lambda state: accept(state, clause, reason), folder)
