"""The hook in the settings of Claude Code that are this machine's alone, and taken away again."""

import json
import shlex
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically

from .client_config import program

EVENT = "PostToolUse"


def hook_settings(project: Path) -> Path:
    """Return the settings that the hook stands in: the program's path is of this machine, so not those that a team shares."""
    return project / ".claude" / "settings.local.json"


def install_hook(project: Path) -> bool:
    """Write the hook; False where it is there already."""
    path = hook_settings(project)
    settings = _read(path)
    if _others(settings) != _entries(settings):
        return False
    ours = {"matcher": "*", "hooks": [{"type": "command", "command": shlex.join([*program(), "hook"])}]}
    _write(path, settings, [*_entries(settings), ours])
    return True


def remove_hook(project: Path) -> bool:
    """Take the hook away; False where it is not there."""
    path = hook_settings(project)
    settings = _read(path) if path.exists() else {}
    others = _others(settings)
    if others == _entries(settings):
        return False
    _write(path, settings, others)
    return True


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_bytes()) if path.exists() else {}
        if (
            isinstance(found, dict)
            and isinstance(found.get("hooks", {}), dict)
            and isinstance(_entries(found), list)
        ):
            return found
    except ValueError as error:
        raise OutcomeMonitorsError(f"{path} is no JSON: {error}") from None
    raise OutcomeMonitorsError(f"{path} is no settings of Claude Code: its hooks are not lists by event")


def _entries(settings: dict[str, Any]) -> Any:
    return settings.get("hooks", {}).get(EVENT, [])


def _others(settings: dict[str, Any]) -> list[Any]:
    """Return the entries that are not ours."""
    return [entry for entry in _entries(settings) if not _is_ours(entry)]


def _is_ours(entry: Any) -> bool:
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    commands = (
        [hook.get("command") for hook in hooks if isinstance(hook, dict)] if isinstance(hooks, list) else []
    )
    return any(isinstance(command, str) and _calls_us(command) for command in commands)


def _calls_us(command: str) -> bool:
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    own = program()
    return words[-1:] == ["hook"] and (words[:-1] == own or Path(words[0]).stem == "outcome-monitors")


def _write(path: Path, settings: dict[str, Any], entries: list[Any]) -> None:
    hooks = {**settings.get("hooks", {}), EVENT: entries}
    if not entries:
        del hooks[EVENT]
    changed = {**settings, "hooks": hooks}
    if not hooks:
        del changed["hooks"]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(changed, indent=2, ensure_ascii=False) + "\n")
