"""The two homes of state: what a folder has, in that folder or in a fleet's PostgreSQL, so that a test can be held against both."""

from collections.abc import Callable
from pathlib import Path

import pytest

from outcome_monitors.storage.folder import FolderStorage
from outcome_monitors.storage.opening import open_storage
from outcome_monitors_server.retention.copy import copy_state

__all__ = ["Home", "home", "moved"]

Home = Callable[[Path], str]
"""Takes a folder to where its state is read in this test, and returns how that is named."""


@pytest.fixture(params=["folder", "postgres"])
def home(request: pytest.FixtureRequest) -> Home:
    """Where a state is read: as it is in its folder, then the same in a fleet's database."""
    if request.param == "folder":
        return str
    fleet = request.getfixturevalue("fleet")
    return lambda folder: moved(folder, fleet)


def moved(folder: Path, fleet: str) -> str:
    """Put all that a folder has into a fleet's database; return its address."""
    copy_state(FolderStorage(folder), open_storage(fleet, make=True))
    return fleet
