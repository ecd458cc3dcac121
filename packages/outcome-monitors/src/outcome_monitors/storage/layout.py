"""The folder that a proxy or an adapter learns in: what its files are called, and which of them is meant where the folder is named.

Commands that want contracts, events, traces or decisions take the folder as well, and find their own file in it.
"""

import os
from pathlib import Path

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import FilePath

CHANGES = "changes.sqlite"
"""What has become usual."""
CONTRACTS = "contracts.json"
EVENTS = "events.sqlite"
EVIDENCE = "evidence.json"
"""Which contracts were kept when contracts were last mined, since less is left to mine them from."""
GIVEN = "given.json"
"""Contracts that were not learned there, and are checked beside those that were."""
HISTORY = "history.json"
"""Contracts from what was logged elsewhere before the first call here: they hold as those that are given do."""
MINING = "mining.lock"
"""Held by whoever mines there; it stays, and says that someone has looked for something to learn."""
OVERRIDES = "overrides.json"
PRIVATE = "private.json"
"""The paths whose values are kept nowhere."""
RETENTION = "retention.json"
"""How long what is kept, and how much of it."""
STAGES = "stages.sqlite"
"""How far each tool has come."""
TOOLS = "tools.json"
"""The tools last listed."""
TRACES = "traces"
"""The folder of recorded traffic."""
VERSION = "version.json"
"""Which version the contracts are."""
VERSIONS = "versions.sqlite"
"""The versions of the contracts."""
DOCUMENTS = (CONTRACTS, GIVEN, OVERRIDES, PRIVATE, RETENTION, TOOLS, VERSION)
"""The small files."""
_OWN = (CONTRACTS, EVENTS, MINING, OVERRIDES, STAGES, TOOLS, TRACES)


def is_learning_folder(path: FilePath) -> bool:
    """Say whether a path is a folder that something was learned in; one that is empty may become one."""
    folder = os.fspath(path)
    if not os.path.isdir(folder):  # noqa: PTH112 - a query in the place of a path has no Path
        return False
    return any(Path(folder, name).exists() for name in _OWN) or not any(Path(folder).iterdir())


def learning_folder(path: FilePath) -> Path:
    """Return a folder that something is learned in; refuse what is none, with the next step."""
    folder = Path(path)
    if not folder.exists():
        raise OutcomeMonitorsError(
            f"there is no folder {folder}; name the one that a proxy or an adapter learns in (--learn)"
        )
    if not is_learning_folder(folder):
        raise OutcomeMonitorsError(
            f"{folder} is not a folder that something was learned in: it has no {CONTRACTS}, no {EVENTS} and no {STAGES}"
        )
    return folder


def file_in(path: FilePath, name: str) -> Path:
    """Return the file that is meant: the path itself, or, where it is a folder that something is learned in, the file in it."""
    return Path(path) / name if is_learning_folder(path) else Path(path)


def recorded(folder: FilePath) -> list[Path]:
    """Return the trace files of a folder, oldest first."""
    return sorted((Path(folder) / TRACES).glob("*.jsonl"))
