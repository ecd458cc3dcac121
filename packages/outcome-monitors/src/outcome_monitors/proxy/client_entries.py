"""One server in an MCP client's configuration: how it is reached, and the same with the proxy before it.

All clients write `command` and `args` for a server that they start, and an address for one that runs elsewhere.
"""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

__all__ = ["absolute", "address", "is_wrapped", "learns_in", "program", "starts", "unwrapped", "wrapped"]

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


def wrapped(entry: Entry, learn: Path, base: Path | None) -> dict[str, Any]:
    """Return the entry with the proxy before its command; its keys and their order stay, and its paths are absolute."""
    whole = absolute(entry, base)
    words = [*program(), "proxy", "--learn", str(learn), "--", *(starts(whole) or [])]
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
