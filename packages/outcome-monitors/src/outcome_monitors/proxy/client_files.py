"""The configurations of MCP clients: where they stand, and what servers they name.

Of a file that cannot be changed without loss the reader says why, in one sentence with the next step.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["BACKUP", "ClientFile", "of_project", "of_user", "read_client_file"]

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
