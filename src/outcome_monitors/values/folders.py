"""The folder that a proxy or an adapter learns in: what its files are called, and which of them is meant where the folder is named.

Commands that want contracts, events, traces or decisions take the folder as well, and find their own file in it.
"""

import os
from pathlib import Path

from .files import FilePath

__all__ = [
    "CHANGES",
    "CONTRACTS",
    "EVENTS",
    "OVERRIDES",
    "STAGES",
    "TOOLS",
    "TRACES",
    "file_in",
    "is_learning_folder",
    "recorded",
]

CHANGES = "changes.sqlite"
"""What has become usual."""
CONTRACTS = "contracts.json"
EVENTS = "events.sqlite"
OVERRIDES = "overrides.json"
STAGES = "stages.sqlite"
"""How far each tool has come."""
TOOLS = "tools.json"
"""The tools last listed."""
TRACES = "traces"
"""The folder of recorded traffic."""
_OWN = (CONTRACTS, EVENTS, OVERRIDES, STAGES, TOOLS, TRACES)


def is_learning_folder(path: FilePath) -> bool:
    """Say whether a path is a folder that something was learned in; one that is empty may become one."""
    folder = os.fspath(path)
    if not os.path.isdir(folder):  # noqa: PTH112 - a query in the place of a path has no Path
        return False
    return any(Path(folder, name).exists() for name in _OWN) or not any(Path(folder).iterdir())


def file_in(path: FilePath, name: str) -> Path:
    """Return the file that is meant: the path itself, or, where it is a folder that something is learned in, the file in it."""
    return Path(path) / name if is_learning_folder(path) else Path(path)


def recorded(folder: FilePath) -> list[Path]:
    """Return the trace files of a folder, oldest first."""
    return sorted((Path(folder) / TRACES).glob("*.jsonl"))
