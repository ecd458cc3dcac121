"""`accept`, `missed`, `mute`, `reject`, `unmute`, `wrong`: decisions on alerts, kept in a state."""

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeVar

import click

from outcome_monitors.learning import decisions
from outcome_monitors.learning.folder import StateFolder

from ._output import write_line

Command = TypeVar("Command", bound=Callable[..., Any])
CLAUSE = "get_order.total/positive#f3e2"


def _epilog(example: str) -> str:
    return f"\b\nExample:\n  outcome-monitors {example}"


def _in_folder(command: Command) -> Command:
    return click.option(
        "--in",
        "folder",
        metavar="FOLDER",
        required=True,
        help="The state folder, or a fleet's address.",
    )(command)


def _reason(command: Command) -> Command:
    return click.option(
        "--reason", metavar="TEXT", default="", show_default=False, help="A reason, kept with the decision."
    )(command)


def _decide(folder: str, decision: Callable[..., str], *arguments: object) -> None:
    """Decide, and say what holds now."""
    with closing(StateFolder.at(folder)) as state:
        write_line(decision(state, *arguments))


@click.command(epilog=_epilog("accept get_order.status/domain#2be3 --in shop"))
@click.argument("clause")
@_in_folder
@_reason
def accept(clause: str, folder: str, reason: str) -> None:
    """Accept the change at CLAUSE (an address or id), so that it no longer waits for review.

    The name of a tool accepts all its changes.

    Without a change, the clause itself is accepted: lint skips it, and it alerts again.
    """
    _decide(folder, decisions.accept, clause, reason)


@click.command(epilog=_epilog("missed 16 --in shop"))
@click.argument("event", type=click.IntRange(1))
@_in_folder
@_reason
def missed(event: int, folder: str, reason: str) -> None:
    """Report that the result of EVENT was a fault without an alert; it isn't learned from."""
    _decide(folder, decisions.missed, event, reason)


@click.command(epilog=_epilog(f"mute {CLAUSE} --in shop --until 7d"))
@click.argument("clause")
@_in_folder
@click.option(
    "--until",
    metavar="DATE",
    help="The end: 2026-12-01, 2026-12-01T10:00:00Z or 7d; default never.",
)
@_reason
def mute(clause: str, folder: str, until: str | None, reason: str) -> None:
    """Suppress alerts of CLAUSE (an address or id), until a date or for good.

    The name of a built-in rule, such as own_claims, mutes it for all tools; its address for one.

    Running proxies and adapters take it up within two seconds. Results are still flagged in the events.
    """
    ends = "" if until is None else decisions.read_until(until, time.time())
    _decide(folder, decisions.mute, clause, ends, reason)


@click.command(epilog=_epilog(f"unmute {CLAUSE} --in shop"))
@click.argument("clause")
@_in_folder
def unmute(clause: str, folder: str) -> None:
    """Resume alerts of CLAUSE."""
    _decide(folder, decisions.unmute, clause)


@click.command(epilog=_epilog("reject get_order --in shop"))
@click.argument("clause")
@_in_folder
@_reason
def reject(clause: str, folder: str, reason: str) -> None:
    """Report that the change at CLAUSE (an address or id) is a fault: it alerts for as long as it lasts.

    The name of a tool rejects all its changes. `accept` takes it back.
    """
    _decide(folder, decisions.reject, clause, reason)


@click.command(epilog=_epilog("wrong 17 --in shop"))
@click.argument("event", type=click.IntRange(1))
@_in_folder
@click.option("--clause", "clauses", multiple=True, metavar="CLAUSE", help="Only this clause. Repeatable.")
@_reason
def wrong(event: int, folder: str, clauses: tuple[str, ...], reason: str) -> None:
    """Report that the alert of EVENT was a false positive.

    A clause reported in two tasks no longer alerts until accepted.
    """
    _decide(folder, decisions.wrong, event, clauses, reason)
