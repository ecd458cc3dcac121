"""`study fetch`: public sources at pinned revisions, said before it is done and checked after."""

import sys
from pathlib import Path

import click

from outcome_monitors.cli._output import count, printable, show_progress, write
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study.fetch import SOURCES, Fetched, fetch, held, plan

__all__ = ["fetch_command"]


@click.command("fetch", epilog="\b\nExample:\n  outcome-monitors study fetch tau-bench --to tau-bench")
@click.argument("name", type=click.Choice(list(SOURCES)))
@click.option(
    "--from",
    "local",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Use a local copy.",
)
@click.option(
    "--to",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The target folder; default its name.",
)
@click.option("--yes", is_flag=True, help="Don't ask.")
def fetch_command(name: str, local: Path | None, to: Path | None, *, yes: bool) -> None:
    """Fetch a public source at a pinned revision and verify it."""
    source, to = SOURCES[name], to or Path(name)
    if held(name, to):
        write(printable(f"{to} holds {name} already, as it was fetched") + "\n")
        return
    for label, text in plan(name, source, to, local):
        write(printable(f"{label + ':':<{len(name) + 2}}{text}") + "\n")
    if not yes:
        _ask()
    tell = show_progress if sys.stderr.isatty() else lambda _: None
    found = fetch(name, source, to, local, tell)
    write(printable(f"{to}: {count(found.files, 'file')}, {_checked(found)}") + "\n")
    if source.then and local is None:
        write(printable("now run:") + "\n" + source.then.replace("{to}", str(to)) + "\n")


def _ask() -> None:
    try:
        agreed = click.confirm("go on?")
    except click.Abort:
        agreed = False
    if not agreed:
        raise OutcomeMonitorsError("nothing was fetched; say --yes to go on without being asked")


def _checked(found: Fetched) -> str:
    if found.pinned:
        return "as pinned"
    if found.pinned is None:
        return "all that is needed; whether it is the pinned revision is not known"
    return "all that is needed, but not the pinned revision"
