"""The proxy put before servers in the configurations of MCP clients, and taken away again.

Clients write `command` and `args` for a server that they start, opencode both as one list, and an address for one that runs elsewhere.
Only these words are written: every other byte of the file stays what it was, comments too, and the file as it was is kept. The proxy
is started where the server was, so the server's own words stay as they are; a file that a team shares names no path of this machine.
"""

import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from outcome_monitors.events import default_store
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import private_folder, write_atomically

from .config_text import changed, entry_text, parsed, with_entry

Entry = Mapping[str, Any]
Keys = tuple[str, ...]
"""Where the entry of a server stands; the last is its name."""
LEARNED = ".outcome-monitors"
"""Where servers of a project are learned from, and its configurations are kept as they were."""
LARGEST = 16 * 2**20
_KEYS = ("mcpServers", "servers", "context_servers", "mcp_servers", "mcp")
"""Under which key servers stand: VS Code has the second, Zed the third, Codex the fourth and opencode the last."""
_CODEX, _GEMINI, _CLAUDE = ".codex/config.toml", ".gemini/settings.json", ".claude.json"
_PROJECT = {
    ".mcp.json": "Claude Code",
    ".cursor/mcp.json": "Cursor",
    ".vscode/mcp.json": "VS Code",
    _GEMINI: "Gemini CLI",
    _CODEX: "Codex",
    ".zed/settings.json": "Zed",
    "opencode.json": "opencode",
    "opencode.jsonc": "opencode",
}
_USER = {
    _CLAUDE: "Claude Code",
    ".cursor/mcp.json": "Cursor",
    ".codeium/windsurf/mcp_config.json": "Windsurf",
    _GEMINI: "Gemini CLI",
    ".copilot/mcp-config.json": "Copilot",
    _CODEX: "Codex",
    ".config/zed/settings.json": "Zed",
    ".config/opencode/opencode.json": "opencode",
}
_DESKTOP = {
    "darwin": "Library/Application Support/Claude",
    "win32": "AppData/Roaming/Claude",
}
_WORKSPACE = "${workspaceFolder}"
_FILLS_IN = ("Cursor", "VS Code")
"""Clients that put the project's folder in the place of that; the others start servers there."""
_ADDRESSES = ("url", "serverUrl", "httpUrl")
"""What clients call the address of a server: most `url`, Windsurf `serverUrl`, Gemini CLI `httpUrl`."""
_NAME = "outcome-monitors"
_MODULE = ["-m", "outcome_monitors"]


@dataclass(frozen=True, slots=True)
class ClientFile:
    """A configuration that was read."""

    path: Path
    client: str
    folder: Path | None
    """The project that it is of; None for one of the user's."""
    text: str
    servers: dict[Keys, Entry]

    @property
    def toml(self) -> bool:
        """Whether it is TOML."""
        return self.path.suffix == ".toml"

    @property
    def shared(self) -> bool:
        """Whether it lies in a repository, so that others may get it."""
        return self.folder is not None and any((each / ".git").exists() for each in self.path.parents)

    @property
    def backup(self) -> Path:
        """Where the file is kept as it was: in no repository."""
        root = default_store().parent if self.folder is None else self.folder / LEARNED
        name = os.path.relpath(self.path, Path.home() if self.folder is None else self.folder)
        return root / "before" / re.sub(r"[^\w.-]", "_", name)


def of_project(folder: Path) -> Iterator[ClientFile | OutcomeMonitorsError]:
    """Yield the configurations in a project's folder, and what Claude Code keeps of it elsewhere; in place of one that cannot be read, why."""
    for name, client in _PROJECT.items():
        if os.path.lexists(folder / name):
            yield _tried(folder / name, client, folder, _KEYS)
    own = Path.home() / _CLAUDE
    if os.path.lexists(own):
        yield _tried(own, f"Claude Code, {folder.name}", None, (), ("projects", str(folder), "mcpServers"))


def of_user() -> Iterator[ClientFile | OutcomeMonitorsError]:
    """Yield the configurations of the one whose machine it is."""
    desktop = f"{_DESKTOP.get(sys.platform, '.config/Claude')}/claude_desktop_config.json"
    for name, client in {desktop: "Claude Desktop", **_USER}.items():
        if os.path.lexists(Path.home() / name):
            yield _tried(Path.home() / name, client, None, _KEYS)


def _tried(
    path: Path, client: str, folder: Path | None, *where: Sequence[str]
) -> ClientFile | OutcomeMonitorsError:
    try:
        return read_client_file(path, client, folder, *where)
    except OutcomeMonitorsError as error:
        return error


def read_client_file(
    path: Path,
    client: str = "",
    folder: Path | None = None,
    names: Sequence[str] = _KEYS,
    place: Sequence[str] = (),
) -> ClientFile:
    """Read a configuration: servers stand under the first of the names that is there, or at the place."""
    text = _text(path)
    try:
        document = parsed(text, toml=path.suffix == ".toml")
    except JSONDecodeError as error:
        raise OutcomeMonitorsError(f"{path}:{error.lineno}:{error.colno} is no JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise OutcomeMonitorsError(f"{path} cannot be read: {error}") from None
    where = (*place,) or next(((key,) for key in names if isinstance(document, dict) and key in document), ())
    servers = document if where else {}
    for key in where:
        servers = servers.get(key, {}) if isinstance(servers, dict) else servers
    if not isinstance(servers, dict) or not all(isinstance(entry, dict) for entry in servers.values()):
        raise OutcomeMonitorsError(
            f"{path} is no configuration of an MCP client: {where[-1]} is not servers by name"
        )
    return ClientFile(path, client, folder, text, {(*where, name): servers[name] for name in servers})


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


def starts(entry: Entry) -> list[str] | None:
    """Return the command that a client starts the server with; None where it has none that can be read."""
    command, arguments = entry.get("command"), entry.get("args", [])
    words = (
        [command, *arguments] if isinstance(arguments, list) and not isinstance(command, list) else command
    )
    readable = isinstance(words, list) and all(isinstance(word, str) for word in words)
    return words if readable and words and words[0] else None


def address(entry: Entry) -> str:
    """Return the address of a server that runs elsewhere; empty where there is none."""
    return next((entry[key] for key in _ADDRESSES if isinstance(entry.get(key), str)), "")


def is_wrapped(entry: Entry) -> bool:
    """Say whether the proxy stands before the server already, whoever put it there."""
    return _behind(starts(entry) or []) is not None


def learns_in(file: ClientFile, entry: Entry) -> Path | None:
    """Return the folder that a server's proxy learns in; None where it names none."""
    words = starts(entry) or []
    before = words[: words.index("--")] if "--" in words else words
    learn = next((folder for option, folder in pairwise(before) if option == "--learn"), None)
    if learn is None or file.folder is None:
        return None if learn is None else Path(learn)
    started = file.folder / str(entry.get("cwd", ""))
    return Path(os.path.normpath(started / learn.replace(_WORKSPACE, str(file.folder))))


def program() -> list[str]:
    """Return how this program is called from anywhere: clients with windows know no PATH of a shell."""
    script = Path(sys.executable).with_name(_NAME + Path(sys.executable).suffix)
    return [str(script)] if script.exists() else [sys.executable, *_MODULE]


def _wrapped(file: ClientFile, entry: Entry, learn: Path) -> dict[str, Any]:
    """Return the words that start the proxy before a server."""
    called, folder = program(), str(learn)
    if file.shared and file.folder is not None and learn.is_relative_to(file.folder):
        relative = learn.relative_to(file.folder).as_posix()
        started = file.folder / str(entry.get("cwd", ""))
        fills_in = file.client in _FILLS_IN
        called = [_NAME]
        folder = f"{_WORKSPACE}/{relative}" if fills_in else Path(os.path.relpath(learn, started)).as_posix()
    return _command(entry, [*called, "proxy", "--learn", folder, "--", *(starts(entry) or [])])


def _command(entry: Entry, words: list[str]) -> dict[str, Any]:
    if isinstance(entry["command"], list):
        return {"command": words}
    return {"command": words[0], **({"args": words[1:]} if words[1:] or "args" in entry else {})}


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


def install(file: ClientFile, servers: Mapping[Keys, Path]) -> None:
    """Put the proxy before servers, each with the folder to learn in; keep the file as it was."""
    text = file.text
    for keys, learn in servers.items():
        words = _wrapped(file, file.servers[keys], learn)
        try:
            text = changed(text, keys, words, toml=file.toml)
        except KeyError:
            raise OutcomeMonitorsError(
                f"{file.path}: {keys[-1]} has no table of its own; write it as [{'.'.join(keys)}], or put"
                " `outcome-monitors proxy --learn FOLDER --` before its command by hand"
            ) from None
    if servers:
        _refuse_unwritable(file.path)
        _keep(file)
        write_atomically(file.path, text)


def undo(file: ClientFile) -> list[str]:
    """Take the proxy away from the servers that it was put before; return their names. The backup goes with it."""
    if not file.backup.exists():
        return []
    before = parsed(kept := _text(file.backup), toml=file.toml)
    _refuse_unwritable(file.path)
    text, done = file.text, []
    for keys, entry in file.servers.items():
        was: Any = before
        for key in keys:
            was = was.get(key) if isinstance(was, dict) else None
        if not is_wrapped(entry) or not isinstance(was, dict) or is_wrapped(was):
            continue
        words = _behind(starts(entry) or []) or []
        if words == starts(was) and {**entry, **_command(entry, words), "args": 0} == {**was, "args": 0}:
            text = with_entry(text, keys, entry_text(kept, keys, toml=file.toml), toml=file.toml)
        else:
            # Someone has changed it since: that stays, and the proxy goes.
            text = changed(text, keys, _command(entry, words), toml=file.toml)
        done.append(keys[-1])
    write_atomically(file.path, text)
    file.backup.unlink()
    return done


def learning_folders(root: Path, file: ClientFile, taken: dict[Path, list[str] | None]) -> dict[Keys, Path]:
    """Return a folder for each server of a file; servers of one name that are started differently have two. Those that are `taken` are noted."""
    found: dict[Keys, Path] = {}
    for keys, entry in file.servers.items():
        words = starts(entry) or []
        command = _behind(words) or words or [address(entry)]
        plain = (
            "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in keys[-1]).strip(".")
            or "server"
        )
        known = learns_in(file, entry)
        number, folder = 1, known or root / plain
        while known is None and taken.setdefault(folder, command) != command:
            number += 1
            folder = root / f"{plain}-{number}"
        taken[folder], found[keys] = command, folder
    return found


def private_root(root: Path) -> Path:
    """Make a folder that is in no repository: what tools answer is nobody's business but the project's."""
    if not root.exists():
        private_folder(root)
        write_atomically(root / ".gitignore", "*\n")
    return root


def _keep(file: ClientFile) -> None:
    """Write the backup, readable by whom the file is; one that stands there already is of the time before us."""
    if file.backup.exists() and any(map(is_wrapped, file.servers.values())):
        return
    with suppress(FileNotFoundError):
        file.backup.unlink()
    try:
        private_folder(private_root(file.backup.parent.parent) / file.backup.parent.name)
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
