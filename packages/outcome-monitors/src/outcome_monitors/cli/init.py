"""`init`: the proxy before the servers of an MCP client, in one command, and taken away again in another."""

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from outcome_monitors.events.stores import default_store
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.mcp.client_config import (
    ClientFile,
    address,
    install,
    is_wrapped,
    learning_folders,
    learns_in,
    of_project,
    of_user,
    read_client_file,
    starts,
    undo,
)

from ._inputs import ManyValues
from ._output import warn, write_line

__all__ = ["command"]

EPILOG = """\b
Example:
  outcome-monitors init

\b
Do it, for two servers alone, and undo it:
  outcome-monitors init --write --server shop docs
  outcome-monitors init --undo"""

LEARNED = ".outcome-monitors"
"""Where servers of a project are learned from, beside its configuration."""
FIRST_PORT = 9001


@click.command("init", cls=ManyValues, epilog=EPILOG)
@click.argument("folder", default=".")
@click.option("--write", "writes", is_flag=True, help="Write the change; default a dry run.")
@click.option("--undo", "undoes", is_flag=True, help="Remove the proxy; what was learned stays.")
@click.option("--server", "chosen", multiple=True, metavar="NAME...", help="Only these servers.")
@click.option(
    "--learn",
    metavar="FOLDER",
    help="The state folder, with a folder a server.  [default: .outcome-monitors]",
)
@click.option("--user", is_flag=True, help="Also configurations in your home folder.")
def command(
    folder: str, writes: bool, undoes: bool, chosen: tuple[str, ...], learn: str | None, user: bool
) -> None:
    """Put the proxy in front of the servers of the MCP clients configured in FOLDER."""
    if undoes and (writes or chosen or learn):
        raise click.UsageError("--undo goes with --user alone")
    files = _read(Path(folder), user=user)
    if undoes:
        _undo(files)
        return
    plans = [*_plans(files, chosen, learn)]
    if writes:
        _carry_out(plans, folder)
    back = shlex.join(["outcome-monitors", "init", *([] if folder == "." else [folder]), "--undo"])
    for plan in plans:
        _write_plan(plan, f"{back} --user" if user else back, done=writes)
    if not writes:
        _write_rest(Path(folder), plans, user=user)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done with a configuration."""

    file: ClientFile
    folders: dict[str, Path]
    """Where each server that is to get the proxy is learned from."""
    root: Path
    all_folders: dict[str, Path]


def _read(place: Path, *, user: bool) -> list[ClientFile]:
    """Read the configurations; one that cannot be changed is a warning where there are others, else an error."""
    if not place.is_dir():
        return [_named(place)]
    project = Path(os.path.abspath(place))  # noqa: PTH100 - a link stays what it is
    found: list[tuple[Path, str, Path | None]] = [
        (path, client, project) for path, client in of_project(project)
    ]
    found += [(path, client, None) for path, client in of_user()] if user else []
    files: list[ClientFile] = []
    troubles: list[OutcomeMonitorsError] = []
    for path, client, base in found:
        try:
            file = read_client_file(path, client, base)
        except OutcomeMonitorsError as error:
            troubles.append(error)
        else:
            files += [file] if file.servers else []
    if troubles and not files:
        raise troubles[0]
    for trouble in troubles:
        warn(str(trouble))
    return files


def _named(path: Path) -> ClientFile:
    whole = Path(os.path.abspath(path))  # noqa: PTH100 - a link stays what it is
    known: dict[Path, tuple[str, Path | None]] = {}
    for folder in (whole.parent, whole.parent.parent):
        known |= {place: (client, folder) for place, client in of_project(folder)}
    known |= {place: (client, None) for place, client in of_user()}
    file = read_client_file(whole, *known.get(whole, ("", whole.parent)))
    if not file.servers:
        raise OutcomeMonitorsError(f"{path} names no MCP servers, under mcpServers or servers")
    return file


def _plans(files: Sequence[ClientFile], chosen: tuple[str, ...], learn: str | None) -> Iterator[_Plan]:
    known = {name: entry for file in files for name, entry in file.servers.items()}
    for name in chosen:
        if name not in known:
            others = ", ".join(known) or "none"
            raise OutcomeMonitorsError(f"there is no server {name!r}; there are: {others}")
        if starts(known[name]) is None:
            raise OutcomeMonitorsError(f"the server {name!r} {_why_not(known[name], learn or LEARNED)}")
    for file in files:
        root = Path(os.path.abspath(learn)) if learn else _usual_root(file)  # noqa: PTH100 - a link stays what it is
        folders = learning_folders(root, [*known])
        wanted = {
            name: folders[name]
            for name, entry in file.servers.items()
            if (not chosen or name in chosen) and starts(entry) is not None and not is_wrapped(entry)
        }
        yield _Plan(file, wanted, root, folders)


def _usual_root(file: ClientFile) -> Path:
    return default_store().parent / "servers" if file.base is None else file.base / LEARNED


def _carry_out(plans: Sequence[_Plan], folder: str) -> None:
    if not plans:
        raise OutcomeMonitorsError(
            f"there is no configuration of an MCP client in {folder}; name one, or take --user for those in your home folder"
        )
    for plan in plans:
        if plan.folders and not plan.root.exists():
            _make(plan.root)
            # What tools answer is nobody's business but the project's.
            write_atomically(plan.root / ".gitignore", "*\n")
        for learned in plan.folders.values():
            _make(learned)
        install(plan.file, plan.folders)


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutcomeMonitorsError(
            f"cannot learn in {folder}: {error.strerror or error}; choose another with --learn"
        ) from None


def _undo(files: Sequence[ClientFile]) -> None:
    done = [(file, undo(file)) for file in files]
    if not any(names for _, names in done):
        raise OutcomeMonitorsError(
            "there is nothing to undo: beside no configuration there is a backup of this command"
        )
    for file, names in done:
        if names:
            write_line(
                f"{_shown(file.path)}: without the proxy again: {', '.join(names)}; what was learned stays"
            )


def _write_plan(plan: _Plan, back: str, *, done: bool) -> None:
    file = plan.file
    link = f", a link to {_shown(file.path.resolve())}" if file.path.is_symlink() else ""
    write_line(f"{_shown(file.path)}{f' ({file.client})' if file.client else ''}{link}")
    for number, (name, entry) in enumerate(file.servers.items()):
        write_line(f"  {name}: {_state(plan, name, entry, done, FIRST_PORT + number)}")
    if done and plan.folders:
        write_line(f"  as it was: {_shown(file.backup)}; {back} brings it back")
        write_line("  restart the client, let it call tools, then:")
        for folder in plan.folders.values():
            write_line(f"  outcome-monitors status {shlex.quote(_shown(folder))}")


def _state(plan: _Plan, name: str, entry: dict[str, object], done: bool, port: int) -> str:
    if is_wrapped(entry):
        folder = learns_in(entry)
        return f"has the proxy already{f', which learns in {_shown(Path(folder))}' if folder else ''}"
    if name in plan.folders:
        has = "has the proxy now, which learns" if done else "would get the proxy, which learns"
        return f"{has} in {_shown(plan.folders[name])}"
    if starts(entry) is None:
        return _why_not(entry, _shown(plan.all_folders[name]), port)
    return "stays as it is"


def _why_not(entry: dict[str, object], learn: str, port: int = FIRST_PORT) -> str:
    url = address(entry)
    if not url:
        return "has neither a command nor an address that can be read, and stays as it is"
    path = "/" + url.partition("://")[2].partition("/")[2]
    return (
        f"is reached over HTTP: run `outcome-monitors proxy --learn {shlex.quote(learn)} --upstream {shlex.quote(url)}"
        f" --listen 127.0.0.1:{port}`, and give http://127.0.0.1:{port}{path} as its address"
    )


def _write_rest(folder: Path, plans: Sequence[_Plan], *, user: bool) -> None:
    if any(plan.folders for plan in plans):
        write_line("Nothing was written; --write does it, and keeps each file as it was.")
    elsewhere = [] if user or not folder.is_dir() else [path for path, _ in of_user()]
    if elsewhere:
        write_line(f"Not looked into: {', '.join(map(_shown, elsewhere))}; --user does.")
    if not plans:
        write_line(f"{folder} has no configuration of a known MCP client; name one, or record calls:")
        write_line("outcome-monitors proxy --learn FOLDER -- COMMAND")


def _shown(path: Path) -> str:
    """Return a path as short as it can be read from here."""
    for start, sign in ((Path.cwd(), ""), (Path.home(), "~/")):
        if path.is_relative_to(start) and path != start:
            return sign + path.relative_to(start).as_posix()
    return str(path)
