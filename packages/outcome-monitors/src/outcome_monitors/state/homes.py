"""What a FOLDER names: a folder that something is learned in, or the state of a fleet, of which this host has a copy.

Whatever reads a folder reads the copy. Where the database cannot be reached the copy is told from as it is, with its age.
"""

import time
from logging import getLogger
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import StateError
from outcome_monitors.values.files import FilePath, private_folder
from outcome_monitors.values.folders import file_in as file_in_folder, is_learning_folder, learning_folder

from .address import StateAddress, is_address
from .folder import FolderStorage
from .shared import SharedState, shared_backend
from .storage import Storage

__all__ = ["Home", "brought_up", "file_in", "home_at", "is_home", "storage_at", "storage_of"]

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


class Home(NamedTuple):
    """Where a state is read."""

    folder: Path
    """What is small: the folder itself, or the copy."""
    shared: SharedState | None = None
    """What is large, where a fleet shares it; else it is in the folder."""
    trouble: str = ""
    """Why the copy may be behind the database."""

    @property
    def name(self) -> str:
        """What it is called; of an address neither user nor password are shown."""
        return str(self.folder if self.shared is None else self.shared)

    def close(self) -> None:
        """Let connections go."""
        if self.shared is not None:
            self.shared.close()


def is_home(path: FilePath) -> bool:
    """Say whether a path names a state, and not a file."""
    return is_address(path) or is_learning_folder(path)


def home_at(path: FilePath, *, away: bool = True) -> Home:
    """Return the state that is meant, the copy brought up; refuse what is none. Who asks closes it.

    Where the database may not be `away`, a copy is not enough.
    """
    if not is_address(path):
        return Home(learning_folder(path))
    shared = shared_backend().open_state(StateAddress.read(path)).pooled()
    try:
        if not away:
            shared_backend().refresh(shared, shared.address.cache)
            return Home(shared.address.cache, shared)
        return Home(shared.address.cache, shared, brought_up(shared))
    except BaseException:
        shared.close()
        raise


def storage_of(home: Home) -> Storage:
    """Return where all of a state is: the folder itself, or the fleet's database."""
    return FolderStorage(home.folder) if home.shared is None else home.shared


def storage_at(path: FilePath, *, make: bool = False) -> Storage:
    """Return where the state at a path or an address is kept; with `make` a folder that is not there is made."""
    if is_address(path):
        return shared_backend().open_state(StateAddress.read(path))
    if make:
        private_folder(Path(path))
    return FolderStorage(learning_folder(path))


def brought_up(shared: SharedState) -> str:
    """Bring the copy up; where the database cannot be reached and there is a copy, return a sentence with its age."""
    folder = shared.address.cache
    try:
        shared_backend().refresh(shared, folder)
    except StateError as error:
        copied = shared_backend().copied_at(folder)
        if copied is None or not _is_away(error):
            raise
        return f"{error}; what follows is this host's copy of {_ago(time.time() - copied)}"
    return ""


def file_in(path: FilePath, name: str) -> Path:
    """Return the file that is meant: the path itself, or the file of that name in the folder or the copy that it names."""
    if not is_address(path):
        return file_in_folder(path, name)
    home = home_at(path)
    home.close()
    if home.trouble:
        getLogger("outcome_monitors.state").warning("%s", home.trouble)
    return home.folder / name


def _is_away(error: StateError) -> bool:
    """Say whether the database could not be reached, and not that it refused."""
    cause = error.__cause__
    return cause is not None and type(cause).__name__ in {"OperationalError", "ConnectionTimeout"}


def _ago(seconds: float) -> str:
    unit, word = next(((unit, word) for unit, word in _UNITS if seconds >= unit), _UNITS[-1])
    number = max(0, int(seconds // unit))
    return f"{number} {word}{'' if number == 1 else 's'} ago"
