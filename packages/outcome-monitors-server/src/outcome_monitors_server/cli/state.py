"""`state`: what proxies and adapters have learned, moved, bounded, exported, and rid of what is one person's."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from outcome_monitors.cli._output import count, printable, write
from outcome_monitors.exceptions import StateError
from outcome_monitors.state.address import StateAddress
from outcome_monitors_server.retention import state_at
from outcome_monitors_server.retention.copy import copy_state, export_state
from outcome_monitors_server.retention.forget import forget_person
from outcome_monitors_server.retention.person import PersonValue
from outcome_monitors_server.retention.retention import (
    RETENTION,
    Retention,
    apply_retention,
    read_retention,
    saved_retention,
)
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.rights import SCOPES, grant, revoke

__all__ = ["command"]

Command = TypeVar("Command", bound=Callable[..., Any])
dry_option = click.option("--dry-run", is_flag=True, help="Say what would go; nothing is changed.")

EPILOG = """\b
Example:
  outcome-monitors state copy shop postgresql://db/agents?fleet=shop
  outcome-monitors state forget shop --path customer_id --value C-17"""


@click.group("state", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Move, bound, export what was learned, in a folder or in PostgreSQL; forget one person; say who may do what."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("name what to do: copy, forget, keep, export, grant or revoke")


@command.command(
    "copy", epilog="\b\nExample:\n  outcome-monitors state copy shop postgresql://db/agents?fleet=shop"
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy_command(source: str, target: str) -> None:
    """Copy all of a state, FROM a folder or a fleet TO one that is empty; either way, and between two of a kind."""
    copy_state(state_at(source), state_at(target, make=True), _told)


@command.command(
    "forget", epilog="\b\nExample:\n  outcome-monitors state forget shop --path customer_id --value C-17"
)
@click.argument("state", metavar="FOLDER")
@click.option(
    "--path", metavar="PATH", required=True, help="The field that says whose values they are, in any place."
)
@click.option(
    "--value", metavar="VALUE", required=True, help="What stands there; - reads it from standard input."
)
@click.option("--anywhere", is_flag=True, help="Also what speaks of the value in other fields and in texts.")
@dry_option
def forget_command(state: str, path: str, value: str, anywhere: bool, dry_run: bool) -> None:
    """Remove one person's values from traces, events, receipts, contracts and decisions in FOLDER, and say what was removed."""
    said = sys.stdin.readline().rstrip("\n") if value == "-" else value
    found = forget_person(state_at(state), PersonValue(path, said, anywhere), dry=dry_run)
    if not found.gone.total() and not found.left:
        write("nothing was found that has this value in that field\n")
        return
    for what, number in found.gone.items():
        _told(f"{what} {'to remove' if dry_run else 'removed'}", number)
    for what, number in found.left.items():
        write(
            printable(
                f"still speaks of it in other fields or texts: {what} ({number:,}); --anywhere removes these too"
            )
            + "\n"
        )


@command.command("keep", epilog="\b\nExample:\n  outcome-monitors state keep shop --events 90d --traces 14d")
@click.argument("state", metavar="FOLDER")
@click.option("--events", metavar="AGE", help="Keep events for so long: 12h, 30d, 4w, 1y.")
@click.option("--events-size", metavar="SIZE", help="Keep so much of them: 500MB, 2GB.")
@click.option("--traces", metavar="AGE", help="Keep recorded calls for so long.")
@click.option("--traces-size", metavar="SIZE", help="Keep so much of them.")
@dry_option
def keep_command(
    state: str,
    events: str | None,
    events_size: str | None,
    traces: str | None,
    traces_size: str | None,
    dry_run: bool,
) -> None:
    """Remove what is too old or too much in FOLDER, the oldest first; what is named here is kept for the next time."""
    home = state_at(state)
    retention = read_retention(events, events_size, traces, traces_size)
    if retention == Retention():
        saved = saved_retention(home)
        if saved is None:
            raise StateError(
                f"nothing was said of {home.shown} yet: name an age or a size, as in --events 90d"
            )
        retention = saved
    elif not dry_run:
        home.put(RETENTION, retention.dumps())
    for what, number in apply_retention(home, retention, dry=dry_run).items():
        _told(f"{what} {'to remove' if dry_run else 'removed'}", number)


@command.command("export", epilog="\b\nExample:\n  outcome-monitors state export shop audit")
@click.argument("state", metavar="FOLDER")
@click.argument("target", metavar="TO", type=click.Path(path_type=Path))
def export_command(state: str, target: Path) -> None:
    """Write all of FOLDER as JSON lines TO another, which is empty, with a list of the files and their digests."""
    for name, lines in export_state(state_at(state), target).items():
        write(printable(f"{name}: {count(lines, 'line')}") + "\n")


@command.command(
    "grant",
    epilog="\b\nExample:\n  outcome-monitors state grant postgresql://db/agents shop_proxy --scope write --service shop",
)
@click.argument("address", metavar="ADDRESS")
@click.argument("role")
@click.option("--scope", type=click.Choice([*SCOPES]), required=True, help="What it may do.")
@click.option("--service", metavar="NAME", help="Whose events and traces alone it sees and writes.")
def grant_command(address: str, role: str, scope: str, service: str | None) -> None:
    """Give a ROLE of the database a right in the fleet's state at ADDRESS; the database itself refuses the rest."""
    grant(Postgres(StateAddress.read(address)), role, scope, service)
    of = f" what is of {service}" if service else ""
    write(printable(f"{role} may {scope}{of}") + "\n")


@command.command(
    "revoke", epilog="\b\nExample:\n  outcome-monitors state revoke postgresql://db/agents shop_proxy"
)
@click.argument("address", metavar="ADDRESS")
@click.argument("role")
def revoke_command(address: str, role: str) -> None:
    """Take all rights in the fleet's state at ADDRESS from a ROLE."""
    revoke(Postgres(StateAddress.read(address)), role)
    write(printable(f"{role} may do nothing any more") + "\n")


def _told(what: str, number: int) -> None:
    write(printable(f"{what}: {number:,}") + "\n")
