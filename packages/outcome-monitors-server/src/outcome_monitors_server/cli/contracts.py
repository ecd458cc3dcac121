"""`contracts`: the versions of a state's contracts, what changed between them, and which of them is in force."""

import json
import socket
from dataclasses import asdict
from datetime import UTC, datetime
from shlex import quote
from typing import Any

import click

from outcome_monitors.cli._inputs import format_option
from outcome_monitors.cli._output import printable, table as write_table, write
from outcome_monitors.cli.diff import write_changes
from outcome_monitors.contracts.overrides import LONGEST_NOTE
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.decisions import current_user
from outcome_monitors.lifecycle.diff import diff
from outcome_monitors.storage.address import shown, without_credentials
from outcome_monitors.storage.opening import open_storage
from outcome_monitors.storage.storage import DocumentStep
from outcome_monitors_server.versions.versions import (
    ACTIVE,
    ContractVersion,
    body_of,
    promote,
    roll_back,
    version_of,
    versions,
)

EPILOG = """\b
Example:
  outcome-monitors contracts list shop
  outcome-monitors contracts promote shop 7
  outcome-monitors contracts rollback shop --reason "flags refunds"
"""
SIGNS = {"added": "+", "dropped": "-", "changed": "~"}
MOST_LISTED = 20

_place = click.argument("place", metavar="FOLDER|DSN")
_form = format_option("text", "json")


@click.group("contracts", invoke_without_command=True, epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """List, compare, promote and roll back versions of learned contracts."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("name what to do: list, diff, promote or rollback")


@command.command("list", epilog="\b\nExample:\n  outcome-monitors contracts list shop")
@_place
@click.option("--all", "everything", is_flag=True, help=f"List all versions, not the last {MOST_LISTED}.")
@_form
def list_command(place: str, everything: bool, form: str) -> None:
    """List the versions, newest first."""
    with open_storage(place).versions() as found:
        known = [_as_json(one) for one in versions(found)[: None if everything else MOST_LISTED]]
    if form == "json":
        write(json.dumps({"versions": known}, indent=2) + "\n")
    elif not known:
        write(
            f"there is no version yet; `outcome-monitors learn --state {printable(quote(without_credentials(place)))}` makes the first\n"
        )
    else:
        _write_versions(known)
        for one in known:
            if one["withdrawn"] and one["reason"]:
                write(f"version {one['number']} was taken back: {printable(one['reason'])}\n")


@command.command("diff", epilog="\b\nExample:\n  outcome-monitors contracts diff shop 7")
@_place
@click.argument("number", type=int, required=False)
@click.argument("other", type=int, required=False)
@click.option("--all", "everything", is_flag=True, help="List every change, also grown bounds and tables.")
@_form
def diff_command(place: str, number: int | None, other: int | None, everything: bool, form: str) -> int:
    """Compare version NUMBER (default the newest) with its parent, or OTHER with NUMBER.

    Exit status: 0 equal, 1 different.
    """
    with open_storage(place).versions() as found:
        if other is not None and number is not None:
            before, after = number, other
        else:
            one = _newest(found, place) if number is None else version_of(found, number)
            before, after = one.parent or 0, one.number
        old, new = (_registry(found, each) for each in (before, after))
    return write_changes(diff(old, new), form, everything=everything)


@command.command("promote", epilog="\b\nExample:\n  outcome-monitors contracts promote shop 7")
@_place
@click.argument("number", type=int)
@_form
def promote_command(place: str, number: int, form: str) -> None:
    """Make version NUMBER active. Running proxies and adapters take it up within seconds."""
    with open_storage(place).versions(change=True) as found:
        promote(found, number, by=_who())
        _write_version(version_of(found, number), form)


@command.command(
    "rollback", epilog='\b\nExample:\n  outcome-monitors contracts rollback shop --reason "flags refunds"'
)
@_place
@click.argument("number", type=int, required=False)
@click.option(
    "--reason", metavar="TEXT", default="", show_default=False, help="A reason, kept with the version."
)
@_form
def rollback_command(place: str, number: int | None, reason: str, form: str) -> None:
    """Make NUMBER, or the previous version, current again.

    Later versions wait until one is promoted.
    """
    if len(reason) > LONGEST_NOTE:
        raise click.UsageError(f"a reason has at most {LONGEST_NOTE} characters")
    with open_storage(place).versions(change=True) as found:
        _write_version(roll_back(found, number, by=_who(), reason=reason), form)


def _write_versions(known: list[dict[str, Any]]) -> None:
    write_table((">version", "stage", "made", "by", ">lines", "changes"), [_row(one) for one in known])


def _newest(found: DocumentStep, place: str) -> ContractVersion:
    known = versions(found)
    if not known:
        raise OutcomeMonitorsError(
            f"there is no version in {shown(place)} yet; `outcome-monitors learn` makes the first"
        )
    return known[0]


def _registry(found: DocumentStep, number: int) -> Registry:
    return Registry.loads(body_of(found, number), f"version {number}") if number else Registry()


def _who() -> str:
    return f"{current_user() or 'someone'} on {socket.gethostname()}"


def _write_version(one: ContractVersion, form: str) -> None:
    if form == "json":
        write(json.dumps(_as_json(one), indent=2) + "\n")
        return
    write(f"version {one.number} is active\n")


def _as_json(one: ContractVersion) -> dict[str, Any]:
    """Return a version as an object."""
    times = {"made": _time(one.made), "accepted": _time(one.accepted)}
    return {**asdict(one), **times}


def _row(told: dict[str, Any]) -> tuple[str, ...]:
    stage = str(told["stage"])
    if told["withdrawn"]:
        stage = "taken back"
    elif told["stage"] == ACTIVE:
        stage = f"active, by {told['accepted_by']}"
    signs = [f"{sign}{told['changes'][what]:,}" for what, sign in SIGNS.items() if what in told["changes"]]
    return (
        str(told["number"]),
        stage,
        told["made"][:16].replace("T", " "),
        told["by"],
        f"{told['evidence'].get('lines', told['evidence'].get('calls', 0)):,}" if told["evidence"] else "",
        " ".join(signs) or ("none" if told["changes"] else ""),
    )


def _time(seconds: float | None) -> str:
    return "" if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
