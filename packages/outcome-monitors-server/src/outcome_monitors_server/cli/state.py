"""`state`: what proxies and adapters have learned, moved, bounded, and rid of what is one person's."""

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from outcome_monitors.cli._output import printable, write
from outcome_monitors.exceptions import StateError
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.opening import open_storage
from outcome_monitors.storage.storage import Storage
from outcome_monitors_server.retention.copy import copy_state
from outcome_monitors_server.retention.forget import PersonValue, forget_person
from outcome_monitors_server.retention.retention import (
    RETENTION,
    Retention,
    apply_retention,
    read_retention,
    saved_retention,
)
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.rights import SCOPES, grant, revoke

Command = TypeVar("Command", bound=Callable[..., Any])
dry_option = click.option("--dry-run", is_flag=True, help="Show what would be removed.")

EPILOG = """\b
Example:
  outcome-monitors state copy shop postgresql://db/agents?fleet=shop
  outcome-monitors state forget shop --value C-17"""


@click.group("state", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Copy, bound and clean up state, in a folder or in PostgreSQL."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("name what to do: copy, forget, keep, grant or revoke")


@command.command(
    "copy", epilog="\b\nExample:\n  outcome-monitors state copy shop postgresql://db/agents?fleet=shop"
)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
def copy_command(source: str, target: str) -> None:
    """Copy a state FROM a folder or fleet TO an empty one."""
    copy_state(state_at(source), state_at(target, make=True), _write_count)


@command.command("forget", epilog="\b\nExample:\n  outcome-monitors state forget shop --value C-17")
@click.argument("state", metavar="FOLDER")
@click.option("--value", metavar="VALUE", required=True, help="A value that is theirs alone; - reads stdin.")
@dry_option
def forget_command(state: str, value: str, dry_run: bool) -> None:
    """Delete what speaks of one person from traces, events, contracts and decisions."""
    said = sys.stdin.readline().rstrip("\n") if value == "-" else value
    found = forget_person(state_at(state), PersonValue(said), dry=dry_run)
    if not found.total():
        write("nothing was found that has this value in it\n")
        return
    for what, number in found.items():
        _write_count(f"{what} {'to remove' if dry_run else 'removed'}", number)


@command.command("keep", epilog="\b\nExample:\n  outcome-monitors state keep shop --events 90d --traces 14d")
@click.argument("state", metavar="FOLDER")
@click.option("--events", metavar="AGE", help="Maximum age of events: 12h, 30d, 4w, 1y.")
@click.option("--events-size", metavar="SIZE", help="Maximum size of events: 500MB, 2GB.")
@click.option("--traces", metavar="AGE", help="Maximum age of recorded calls.")
@click.option("--traces-size", metavar="SIZE", help="Maximum size of recorded calls.")
@dry_option
def keep_command(
    state: str,
    events: str | None,
    events_size: str | None,
    traces: str | None,
    traces_size: str | None,
    dry_run: bool,
) -> None:
    """Set and apply retention limits, oldest first."""
    home = state_at(state)
    retention = read_retention(events, events_size, traces, traces_size)
    if retention == Retention():
        saved = saved_retention(home)
        if saved is None:
            raise StateError(f"nothing was said of {home} yet: name an age or a size, as in --events 90d")
        retention = saved
    elif not dry_run:
        home.put(RETENTION, retention.dumps())
    for what, number in apply_retention(home, retention, dry=dry_run).items():
        _write_count(f"{what} {'to remove' if dry_run else 'removed'}", number)


@command.command(
    "grant",
    epilog="\b\nExample:\n  outcome-monitors state grant postgresql://db/agents shop_proxy --scope write --service shop",
)
@click.argument("address", metavar="ADDRESS")
@click.argument("role")
@click.option("--scope", type=click.Choice([*SCOPES]), required=True, help="The right.")
@click.option("--service", metavar="NAME", help="Restrict to this service's events and traces.")
def grant_command(address: str, role: str, scope: str, service: str | None) -> None:
    """Grant a database ROLE a right in the fleet's state."""
    grant(Postgres(StateAddress.read(address)), role, scope, service)
    of = f" what is of {service}" if service else ""
    write(printable(f"{role} may {scope}{of}") + "\n")


@command.command(
    "revoke", epilog="\b\nExample:\n  outcome-monitors state revoke postgresql://db/agents shop_proxy"
)
@click.argument("address", metavar="ADDRESS")
@click.argument("role")
def revoke_command(address: str, role: str) -> None:
    """Revoke all rights of a database ROLE."""
    revoke(Postgres(StateAddress.read(address)), role)
    write(printable(f"{role} may do nothing any more") + "\n")


def state_at(place: str, *, make: bool = False) -> Storage:
    """Return the whole state at a folder or an address; refuse one with labels."""
    storage = open_storage(place, make=make)
    if storage.labels.items():
        raise StateError(f"{storage} names labels, and this is work on the whole of a state: leave them out")
    return storage


def _write_count(what: str, number: int) -> None:
    write(printable(f"{what}: {number:,}") + "\n")
