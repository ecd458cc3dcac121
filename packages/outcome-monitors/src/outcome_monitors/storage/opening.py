"""What a FOLDER names: a folder that something is learned in, or the state of a fleet, of which this host has a copy.

Whatever reads a folder reads the copy. `outcome-monitors-server` keeps the state of a fleet, in PostgreSQL.
"""

import os
from contextlib import closing
from logging import getLogger
from pathlib import Path
from typing import Any

from outcome_monitors.distributions import SERVER, part_of
from outcome_monitors.files import FilePath, private_folder
from outcome_monitors.storage.layout import file_in as file_in_folder, is_learning_folder, learning_folder

from .address import StateAddress, is_address
from .event_file import EventFile
from .folder import FolderStorage
from .storage import EventTable, Storage


def storage_backend(job: str = "state in PostgreSQL") -> Any:
    """Return the module that keeps shared state; say what to install where there is none."""
    return part_of(SERVER, "storage", job)


def open_storage(path: FilePath, *, make: bool = False) -> Storage:
    """Return the state at a path or an address; refuse a folder that is none. With `make` one that is not there is made."""
    if is_address(path):
        shared: Storage = storage_backend().open_state(StateAddress.read(path))
        return shared
    if make:
        private_folder(Path(path))
    return FolderStorage(learning_folder(path))


def current_storage(path: FilePath, *, required: bool = True) -> Storage:
    """Return the same for one who asks often, the copy brought up; where that is not `required`, an older one will do. Who asks closes it."""
    storage = open_storage(path)
    try:
        storage.refresh(required=required)
    except BaseException:
        storage.close()
        raise
    return storage


def is_state(path: FilePath) -> bool:
    """Say whether a path names a state, and not a file."""
    return is_address(path) or is_learning_folder(path)


def event_table(path: FilePath) -> EventTable:
    """Return the events that are meant: those of an address, or the file; of a folder that something is learned in, the file in it."""
    if is_address(path):
        return open_storage(path).events
    return FolderStorage(Path(path)).events if is_learning_folder(path) else EventFile(Path(path))


def file_in(path: FilePath, name: str) -> Path:
    """Return the file that is meant: the path itself, or the file of that name in the folder or the copy that it names."""
    if not is_address(path):
        return file_in_folder(path, name)
    with closing(current_storage(path, required=False)) as state:
        if state.trouble:
            getLogger("outcome_monitors.storage").warning("%s", state.trouble)
        return state.folder / name


def absolute(path: FilePath) -> str:
    """Return a path that means the same wherever it is read; an address does, and a folder need not exist."""
    return os.fspath(path) if is_address(path) else os.path.abspath(path)  # noqa: PTH100 - as a text, as it was given


def refuse_unusable(path: FilePath) -> None:
    """Refuse an address that has no form, or that nothing here can open."""
    if is_address(path):
        StateAddress.read(path)
        storage_backend()
