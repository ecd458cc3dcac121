"""`init`: the proxy before the servers of an MCP client, in one command, and taken away again in another."""

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events.stores import default_store
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import private_folder
from outcome_monitors.hook import FOLDER as HOOK
from outcome_monitors.mcp.client_config import (
    LEARNED,
    ClientFile,
    Entry,
    Keys,
    address,
    install,
    is_wrapped,
    learning_folders,
    learns_in,
    of_project,
    of_user,
    private_root,
    read_client_file,
    starts,
    undo,
)
from outcome_monitors.mcp.hook_config import hook_settings, install_hook, remove_hook
from outcome_monitors.storage.layout import CONTRACTS, HISTORY

from ._history import AUTO, History, Learned, logs_of
from ._inputs import ManyValues
from ._output import count, warn, write_line

EPILOG = """\b
Example:
  outcome-monitors init

\b
Do it, for two servers alone, and undo it:
  outcome-monitors init --write --server shop docs
  outcome-monitors init --undo

\b
Learn first from what coding agents have logged here, or from exports:
  outcome-monitors init --write --from auto exports/

\b
A hook of Claude Code instead of the proxy:
  outcome-monitors init --write --hook --from auto"""

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
@click.option(
    "--from",
    "logs",
    multiple=True,
    metavar="PATH...",
    help="Learn first from these logs, traces or exports; auto for the sessions of Claude Code and Codex in FOLDER.",
)
@click.option(
    "--hook", "hooks", is_flag=True, help="A hook of Claude Code, for every tool, instead of the proxy."
)
def command(
    folder: str,
    writes: bool,
    undoes: bool,
    chosen: tuple[str, ...],
    learn: str | None,
    user: bool,
    logs: tuple[str, ...],
    hooks: bool,
) -> None:
    """Put the proxy in front of the servers of the MCP clients configured in FOLDER."""
    if undoes and (writes or chosen or learn or logs or hooks):
        raise click.UsageError("--undo goes with --user alone")
    project = Path(os.path.abspath(folder))  # noqa: PTH100 - a link stays what it is
    if hooks:
        if chosen or learn or user:
            raise click.UsageError(
                "--hook goes with --from and --write alone: it is for every tool of a project"
            )
        _hook(project, logs, writes=writes)
        return
    files = _read(Path(folder), user=user)
    if undoes:
        _undo(files, project)
        return
    plans = _plans(files, chosen, learn)
    history = History(logs, project) if logs else None
    names = {keys[-1] for plan in plans for keys in plan.new}
    learned = {} if history is None else {name: history.of_server(name) for name in names}
    if writes:
        _carry_out(plans, folder, learned)
    again = [*([] if folder == "." else [folder]), *(["--user"] if user else [])]
    back = shlex.join(["outcome-monitors", "init", *again, "--undo"])
    for plan in plans:
        _write_plan(plan, back, learned, done=writes)
    if not writes:
        _write_rest(Path(folder), plans, user=user)
    if not logs and any(plan.new for plan in plans):
        _offer_logs(project)


def _offer_logs(project: Path) -> None:
    if logs := logs_of(project):
        write_line(
            f"{count(len(logs), 'session')} of Claude Code and Codex here can be learned from, for alerts from the first conversation on: --from {AUTO}"
        )


def _hook(project: Path, logs: tuple[str, ...], *, writes: bool) -> None:
    """Write the hook, or say what would be written."""
    learned = History(logs, project).of_agent() if logs else Learned(Registry(), 0)
    settings = _shown(hook_settings(project))
    if writes:
        place = private_root(project / LEARNED) / Path(HOOK).name
        if learned.registry.contracts:
            private_folder(place)
            learned.registry.save(place / CONTRACTS)
        done = "calls the hook now" if install_hook(project) else "calls the hook already"
        write_line(
            f"{settings}: Claude Code {done} after each tool; outcome-monitors init --undo takes it away"
        )
    else:
        write_line(f"{settings}: Claude Code would call the hook after each tool; --write does it.")
    write_line("  the built-in rules hold for every tool from its first call")
    if learned.registry.contracts:
        write_line(f"  learned: {learned}")
    elif not logs:
        _offer_logs(project)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be done with a configuration."""

    file: ClientFile
    folders: dict[Keys, Path]
    """Where each of its servers is learned from."""
    new: tuple[Keys, ...]
    """Those that are to get the proxy."""


def _read(place: Path, *, user: bool) -> list[ClientFile]:
    """Read the configurations; one that cannot be changed is a warning where there are others, else an error."""
    project = Path(os.path.abspath(place))  # noqa: PTH100 - a link stays what it is
    if not place.is_dir():
        of_clients = [one for one in (*of_project(project.parent), *of_user()) if isinstance(one, ClientFile)]
        known = next((one for one in of_clients if one.path == project), None)
        file = known or read_client_file(project, "", project.parent)
        if not file.servers:
            raise OutcomeMonitorsError(f"{place} names no MCP servers, under mcpServers or servers")
        return [file]
    found = [*of_project(project), *(of_user() if user else ())]
    troubles = [one for one in found if isinstance(one, OutcomeMonitorsError)]
    files = [one for one in found if isinstance(one, ClientFile) and one.servers]
    if troubles and not files:
        raise troubles[0]
    for trouble in troubles:
        warn(str(trouble))
    return files


def _plans(files: Sequence[ClientFile], chosen: tuple[str, ...], learn: str | None) -> list[_Plan]:
    known = {keys[-1]: entry for file in files for keys, entry in file.servers.items()}
    for name in chosen:
        if name not in known:
            others = ", ".join(known) or "none"
            raise OutcomeMonitorsError(f"there is no server {name!r}; there are: {others}")
        if starts(known[name]) is None:
            raise OutcomeMonitorsError(f"the server {name!r} {_why_not(known[name], learn or LEARNED)}")
    plans, taken = list[_Plan](), dict[Path, list[str] | None]()
    for file in files:
        root = Path(os.path.abspath(learn)) if learn else _usual_root(file)  # noqa: PTH100 - a link stays what it is
        new = tuple(
            keys
            for keys, entry in file.servers.items()
            if (not chosen or keys[-1] in chosen) and starts(entry) is not None and not is_wrapped(entry)
        )
        plans.append(_Plan(file, learning_folders(root, file, taken), new))
    return plans


def _usual_root(file: ClientFile) -> Path:
    return default_store().parent / "servers" if file.folder is None else file.folder / LEARNED


def _carry_out(plans: Sequence[_Plan], folder: str, learned: dict[str, Learned]) -> None:
    if not plans:
        raise OutcomeMonitorsError(
            f"there is no configuration of an MCP client in {folder}; name one, or take --user for those in your home folder"
        )
    for plan in plans:
        for keys in plan.new:
            place = plan.folders[keys]
            try:
                private_root(place.parent)
                private_folder(place)
            except OSError as error:
                raise OutcomeMonitorsError(
                    f"cannot learn in {place}: {error.strerror or error}; choose another with --learn"
                ) from None
            if keys[-1] in learned and learned[keys[-1]].registry.contracts:
                learned[keys[-1]].registry.save(place / HISTORY)
        install(plan.file, {keys: plan.folders[keys] for keys in plan.new})


def _undo(files: Sequence[ClientFile], project: Path) -> None:
    done = [(file, undo(file)) for file in files]
    hooked = remove_hook(project)
    if hooked:
        write_line(f"{_shown(hook_settings(project))}: without the hook again")
    elif not any(names for _, names in done):
        raise OutcomeMonitorsError(
            "there is nothing to undo: beside no configuration there is a backup of this command"
        )
    for file, names in done:
        if names:
            write_line(
                f"{_shown(file.path)}: without the proxy again: {', '.join(names)}; what was learned stays"
            )


def _write_plan(plan: _Plan, back: str, learned: dict[str, Learned], *, done: bool) -> None:
    file = plan.file
    link = f", a link to {_shown(file.path.resolve())}" if file.path.is_symlink() else ""
    write_line(f"{_shown(file.path)}{f' ({file.client})' if file.client else ''}{link}")
    for number, (keys, entry) in enumerate(file.servers.items()):
        write_line(f"  {keys[-1]}: {_state(plan, keys, entry, FIRST_PORT + number, done=done)}")
        if keys in plan.new and keys[-1] in learned:
            known = learned[keys[-1]]
            write_line(
                f"    alerts from the first conversation on by {known}"
                if known.registry.contracts
                else "    nothing could be learned of it from the logs"
            )
    if file.shared and plan.new and not _is_found():
        write_line(
            "  others may get this file, so it calls outcome-monitors by name: install it where the client finds it"
            " (pipx install outcome-monitors)"
        )
    if done and plan.new:
        write_line(f"  as it was: {_shown(file.backup)}; {back} brings it back")
        write_line("  restart the client, let it call tools, then:")
        for keys in plan.new:
            write_line(f"  outcome-monitors status {shlex.quote(_shown(plan.folders[keys], plain=True))}")


def _is_found() -> bool:
    """Say whether clients find the command by its name; that of a virtual environment only some shells do."""
    found = shutil.which("outcome-monitors")
    return found is not None and not Path(found).is_relative_to(
        sys.prefix if sys.prefix != sys.base_prefix else ""
    )


def _state(plan: _Plan, keys: Keys, entry: Entry, port: int, *, done: bool) -> str:
    if is_wrapped(entry):
        folder = learns_in(plan.file, entry)
        return f"has the proxy already{f', which learns in {_shown(folder)}' if folder else ''}"
    if keys in plan.new:
        has = "has the proxy now, which learns" if done else "would get the proxy, which learns"
        return f"{has} in {_shown(plan.folders[keys])}"
    if starts(entry) is None:
        return _why_not(entry, _shown(plan.folders[keys], plain=True), port)
    return "stays as it is"


def _why_not(entry: Entry, learn: str, port: int = FIRST_PORT) -> str:
    url = address(entry)
    if not url:
        return "has neither a command nor an address that can be read, and stays as it is"
    path = "/" + url.partition("://")[2].partition("/")[2]
    return (
        f"is reached over HTTP: run `outcome-monitors proxy --learn {shlex.quote(learn)} --upstream {shlex.quote(url)}"
        f" --listen 127.0.0.1:{port}`, and give http://127.0.0.1:{port}{path} as its address"
    )


def _write_rest(folder: Path, plans: Sequence[_Plan], *, user: bool) -> None:
    if any(plan.new for plan in plans):
        write_line("Nothing was written; --write does it, and keeps each file as it was.")
    found = [] if user or not folder.is_dir() else [*of_user()]
    elsewhere = [one.path for one in found if isinstance(one, ClientFile) and one.servers]
    if elsewhere:
        write_line(f"Not searched: {', '.join(map(_shown, elsewhere))}; --user does.")
    if not plans:
        write_line(f"{folder} has no configuration of a known MCP client; name one, or record calls:")
        write_line("outcome-monitors proxy --learn FOLDER -- COMMAND")


def _shown(path: Path, *, plain: bool = False) -> str:
    """Return a path as short as it can be read from here; `plain` where it is to be pasted in quotes."""
    for start, sign in ((Path.cwd(), ""), (Path.home(), "~/")):
        if path.is_relative_to(start) and path != start and not (plain and sign):
            return sign + path.relative_to(start).as_posix()
    return str(path)
