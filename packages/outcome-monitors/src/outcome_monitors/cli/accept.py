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
    """Accept what has changed at CLAUSE, an address or an id: it waits for nobody any more, and is told of never again.

    Where nothing has changed, the clause itself is found right: lint and prune leave it alone, and it is told of although it was
    called wrong.
    """
    told(lambda state: accept(state, clause, reason), folder)
