"""The proxy put before servers in a client's configuration, and taken away again.

Only what has to change is written: every other byte of the file stays what it was, and the file as it was is kept beside it.
"""

import json
import os
import stat
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.values.files import write_atomically
from outcome_monitors.values.splice import TextSpan, members, value_at

from .client_entries import absolute, is_wrapped, unwrapped, wrapped
from .client_files import ClientFile, read_client_file

__all__ = ["install", "learning_folders", "undo"]


def install(file: ClientFile, servers: Mapping[str, Path]) -> None:
    """Put the proxy before servers, each with the folder to learn in; keep the file as it was."""
    if not servers:
        return
    text = file.text
    for name, learn in servers.items():
        text = _changed(text, file.key, name, wrapped(file.servers[name], learn, file.base))
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
