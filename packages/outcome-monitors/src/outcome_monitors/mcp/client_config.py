"""The proxy put before servers in the configurations of MCP clients, and taken away again.

All clients write `command` and `args` for a server that they start, and an address for one that runs elsewhere. Only what has to change
is written: every other byte of the file stays what it was, and the file as it was is kept beside it. Of a file that cannot be changed
without loss the reader says why, in one sentence with the next step.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.jsonvalue.splice import TextSpan, members, value_at

__all__ = [
    "BACKUP",
    "ClientFile",
    "address",
    "install",
    "is_wrapped",
    "learning_folders",
    "learns_in",
    "of_project",
    "of_user",
    "program",
    "read_client_file",
    "starts",
    "undo",
]

BACKUP = ".before-outcome-monitors"
"""What the name of a backup ends in; it stands beside the file."""
LARGEST = 16 * 2**20
_KEYS = ("mcpServers", "servers")
"""Under which key servers stand: VS Code has the second, all others the first."""
_PROJECT = {
    ".mcp.json": "Claude Code",
    ".cursor/mcp.json": "Cursor",
    ".vscode/mcp.json": "VS Code",
    ".gemini/settings.json": "Gemini CLI",
}
_USER = {
    ".claude.json": "Claude Code",
    ".cursor/mcp.json": "Cursor",
    ".codeium/windsurf/mcp_config.json": "Windsurf",
    ".gemini/settings.json": "Gemini CLI",
    ".copilot/mcp-config.json": "Copilot",
}
_DESKTOP = {
    "darwin": "Library/Application Support/Claude",
    "win32": "AppData/Roaming/Claude",
}
_COMMENT = re.compile(r"\s*(//|/\*)")


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A configuration that was read."""

    path: Path
    client: str
    base: Path | None
    """Where the client starts servers; None where nobody knows."""
    text: str
    key: str
    """Under which servers stand; empty where none do."""
    servers: dict[str, Any]

    @property
    def backup(self) -> Path:
        """Where the file is kept as it was."""
        return self.path.with_name(self.path.name + BACKUP)


def of_project(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the configurations in a project's folder, with the client that reads each."""
    for name, client in _PROJECT.items():
        if os.path.lexists(folder / name):
            yield folder / name, client


def of_user(home: Path | None = None) -> Iterator[tuple[Path, str]]:
    """Yield the configurations of the one whose machine it is."""
    house = Path.home() if home is None else home
    desktop = f"{_DESKTOP.get(sys.platform, '.config/Claude')}/claude_desktop_config.json"
    for name, client in {desktop: "Claude Desktop", **_USER}.items():
        if os.path.lexists(house / name):
            yield house / name, client


def read_client_file(path: Path, client: str = "", base: Path | None = None) -> ClientFile:
    """Read a configuration; refuse what cannot be changed without loss."""
    text = _text(path)
    try:
        document = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise OutcomeMonitorsError(_why_no_json(path, text.removeprefix("\ufeff"), error)) from None
    key = next((key for key in _KEYS if isinstance(document, dict) and key in document), "")
    servers = document[key] if key else {}
    if not isinstance(servers, dict) or not all(isinstance(entry, dict) for entry in servers.values()):
        raise OutcomeMonitorsError(
            f"{path} is no configuration of an MCP client: {key} is not servers by name"
        )
    return ClientFile(path, client, base, text, key, servers)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise OutcomeMonitorsError(
                f"{path} is larger than {LARGEST // 2**20} MiB, which no configuration is"
            )
        # Not `read_text`: line ends are to stay what they are.
        return path.read_bytes().decode()
    except FileNotFoundError:
        what = (
            f"{path} is a link to a file that is not there"
            if path.is_symlink()
            else f"there is no file {path}"
        )
        raise OutcomeMonitorsError(
            f"{what}; name the configuration of an MCP client, or a project's folder"
        ) from None
    except OSError as error:
        raise OutcomeMonitorsError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise OutcomeMonitorsError(f"{path} is not UTF-8: byte {error.start}") from None


def _why_no_json(path: Path, text: str, error: Exception) -> str:
    if not isinstance(error, json.JSONDecodeError):
        return f"{path} is no JSON that can be read: {error}"
    rest, before = text[error.pos :], text[: error.pos].rstrip()
    # Up to Python 3.12 the place is behind the comma; later ones say what it is.
    trailing = error.msg.startswith("Illegal trailing comma") or (
        before.endswith(",") and rest[:1] in ("}", "]")
    )
    if trailing or _COMMENT.match(rest):
        return (
            f"{path}:{error.lineno} has comments or trailing commas, which would be lost: take them out, or put"
            " `outcome-monitors proxy --learn FOLDER --` before the server's command by hand"
        )
    return f"{path}:{error.lineno}:{error.colno} is no JSON: {error.msg}"


Entry = Mapping[str, Any]

_ADDRESSES = ("url", "serverUrl", "httpUrl")
"""What clients call the address of a server: most `url`, Windsurf `serverUrl`, Gemini CLI `httpUrl`."""
_NAME = "outcome-monitors"
_MODULE = ["-m", "outcome_monitors"]
_LOOKS_LIKE_A_PATH = re.compile(r"^\.{1,2}$|[/\\]|\.\w+$")


def starts(entry: Entry) -> list[str] | None:
    """Return the command that a client starts the server with; None where it has none that can be read."""
    command, arguments = entry.get("command"), entry.get("args", [])
    if not isinstance(command, str) or not command:
        return None
    if not isinstance(arguments, list) or not all(isinstance(each, str) for each in arguments):
        return None
    return [command, *arguments]


def address(entry: Entry) -> str:
    """Return the address of a server that runs elsewhere; empty where there is none."""
    return next((entry[key] for key in _ADDRESSES if isinstance(entry.get(key), str)), "")


def is_wrapped(entry: Entry) -> bool:
    """Say whether the proxy stands before the server already, whoever put it there."""
    return _behind(starts(entry) or []) is not None


def learns_in(entry: Entry) -> str:
    """Return the folder that a server's proxy learns in; empty where it names none."""
    words = starts(entry) or []
    before = words[: words.index("--")] if "--" in words else words
    return next((folder for option, folder in pairwise(before) if option == "--learn"), "")


def wrapped(entry: Entry, learn: Path, base: Path | None, contracts: Path | None = None) -> dict[str, Any]:
    """Return the entry with the proxy before its command; its keys and their order stay, and its paths are absolute."""
    whole = absolute(entry, base)
    known = [] if contracts is None else ["--contracts", str(contracts)]
    words = [*program(), "proxy", "--learn", str(learn), *known, "--", *(starts(whole) or [])]
    return _with_command(whole, words[0], words[1:])


def unwrapped(entry: Entry) -> dict[str, Any]:
    """Return the entry without the proxy."""
    words = _behind(starts(entry) or []) or [""]
    return _with_command(entry, words[0], words[1:])


def program() -> list[str]:
    """Return how this program is called from anywhere: clients with windows know no PATH of a shell."""
    script = Path(sys.executable).with_name(_NAME + Path(sys.executable).suffix)
    return [str(script)] if script.exists() else [sys.executable, *_MODULE]


def absolute(entry: Entry, base: Path | None) -> dict[str, Any]:
    """Return the entry with absolute paths in place of relative ones that lead somewhere from the client's folder."""
    if base is None and not os.path.isabs(str(entry.get("cwd", ""))):  # noqa: PTH117 - what clients take for a path may be none
        return dict(entry)
    folder = Path(base or "/", str(entry.get("cwd") or "."))
    changed = dict(entry)
    for key in ("command", "args", "env"):
        if key in entry:
            changed[key] = _absolute(entry[key], folder)
    for key in ("cwd", "envFile"):
        if base is not None and key in entry:
            changed[key] = _absolute(entry[key], base)
    return changed


def _absolute(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [_absolute(each, folder) for each in value]
    if isinstance(value, dict):
        return {key: _absolute(each, folder) for key, each in value.items()}
    if not isinstance(value, str):
        return value
    option, equals, behind = value.partition("=") if value.startswith("-") else ("", "", value)
    # A plain word may be a command (`uv run`), though a folder of that name is there; `$` is the client's to fill in.
    if "$" in behind or not _LOOKS_LIKE_A_PATH.search(behind):
        return value
    path = Path(behind)
    if path.is_absolute() or not _exists(folder / path):
        return value
    return f"{option}{equals}{os.path.normpath(folder / path)}"


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name that is too long, or has a zero in it, is no path
        return False


def _behind(words: Sequence[str]) -> list[str] | None:
    """Return the command behind the proxy; None where no proxy of ours stands before one."""
    if not words or "--" not in words:
        return None
    own = (
        words[1:]
        if Path(words[0].replace("\\", "/")).stem == _NAME
        else words[3:]
        if [*words[1:3]] == _MODULE
        else []
    )
    behind = [*words[words.index("--") + 1 :]]
    return behind if own[:1] == ["proxy"] and behind else None


def _with_command(entry: Entry, command: str, arguments: list[str]) -> dict[str, Any]:
    """Return the entry with another command; arguments that were not there come behind it."""
    changed: dict[str, Any] = {}
    for key, value in entry.items():
        changed[key] = command if key == "command" else arguments if key == "args" else value
        if key == "command" and "args" not in entry and arguments:
            changed["args"] = arguments
    return changed


def install(file: ClientFile, servers: Mapping[str, Path], contracts: Mapping[str, Path]) -> None:
    """Put the proxy before servers, each with the folder to learn in, and what is known already; keep the file as it was."""
    if not servers:
        return
    text = file.text
    for name, learn in servers.items():
        text = _changed(
            text, file.key, name, wrapped(file.servers[name], learn, file.base, contracts.get(name))
        )
    _refuse_unwritable(file.path)
    _keep(file)
    write_atomically(file.path, text)


def undo(file: ClientFile) -> list[str]:
    """Take the proxy away from the servers that it was put before; return their names. The backup goes with it."""
    if not file.backup.exists():
        return []
    before = read_client_file(file.backup, file.client, file.base)
    _refuse_unwritable(file.path)
    text, done = file.text, []
    for name, entry in file.servers.items():
        was = before.servers.get(name)
        if not is_wrapped(entry) or was is None or is_wrapped(was):
            continue
        # No arguments and an empty list of them are the same.
        if {"args": [], **unwrapped(entry)} == {"args": [], **absolute(was, file.base)}:
            text = _replaced(text, _span(text, file.key, name), _raw(before, name))
        else:
            # Someone has changed it since: that stays, and the proxy goes.
            text = _changed(text, file.key, name, unwrapped(entry))
        done.append(name)
    write_atomically(file.path, text)
    file.backup.unlink()
    return done


def learning_folders(root: Path, names: Collection[str]) -> dict[str, Path]:
    """Return a folder for each server: tools of two servers may have the same name."""
    found: dict[str, Path] = {}
    for name in names:
        plain = (
            "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in name).strip(".") or "server"
        )
        others = {folder.name for folder in found.values()}
        number = 2
        folder = plain
        while folder in others:
            folder, number = f"{plain}-{number}", number + 1
        found[name] = root / folder
    return found


def _keep(file: ClientFile) -> None:
    """Write the backup, readable by whom the file is; one that stands there already is of the time before us."""
    if file.backup.exists() and any(map(is_wrapped, file.servers.values())):
        return
    with suppress(FileNotFoundError):
        file.backup.unlink()
    try:
        mode = stat.S_IMODE(file.path.stat().st_mode)
        descriptor = os.open(
            file.backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode
        )
        with os.fdopen(descriptor, "wb") as kept:
            kept.write(file.text.encode())
    except OSError as error:
        raise OutcomeMonitorsError(
            f"cannot keep {file.path} as it was, and so it is not changed: {error.strerror or error}"
        ) from None


def _refuse_unwritable(path: Path) -> None:
    # A file that is replaced need not be writable itself; one that someone has made read-only is meant to stay.
    if not os.access(path, os.W_OK):
        raise OutcomeMonitorsError(f"{path} is read-only; make it writable, or change it by hand")


def _changed(text: str, key: str, name: str, entry: Mapping[str, Any]) -> str:
    """Return the text with another entry, of which only the members that differ are written anew."""
    for member, value in entry.items():
        spans = members(text, _span(text, key, name))
        if member in spans:
            span = spans[member]
            if json.loads(text[span.start : span.end]) != value:
                text = _replaced(text, span, _written(value, text, span))
        else:
            end = spans["command"].end
            text = f'{text[:end]}, "{member}": {_written(value, text, TextSpan(end, end))}{text[end:]}'
    return text


def _written(value: Any, text: str, span: TextSpan) -> str:
    """Write a value as the one in its place is: on one line, or on lines of their own with the same indentation."""
    if "\n" not in text[span.start : span.end] or not value:
        return json.dumps(value, ensure_ascii=False)
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    outer = line[: len(line) - len(line.lstrip())]
    first = text[span.start + 1 : span.end].lstrip(" \t\r").removeprefix("\n")
    inner = first[: len(first) - len(first.lstrip())]
    step = inner.removeprefix(outer) if inner.startswith(outer) else "  "
    end = "\r\n" if "\r\n" in text[span.start : span.end] else "\n"
    return json.dumps(value, ensure_ascii=False, indent=step or "  ").replace("\n", end + outer)


def _replaced(text: str, span: TextSpan, new: str) -> str:
    return text[: span.start] + new + text[span.end :]


def _raw(file: ClientFile, name: str) -> str:
    span = _span(file.text, file.key, name)
    return file.text[span.start : span.end]


def _span(text: str, key: str, name: str) -> TextSpan:
    whole = value_at(text, 1 if text.startswith("\ufeff") else 0)
    return members(text, members(text, whole)[key])[name]
