"""State that a fleet shares: in PostgreSQL, with a copy on each host that is enough to start and to serve.

A `postgresql://…` address, taken wherever a folder is, names a state that many hosts share. What is small (contracts, decisions, tools,
stages, what has become usual) each host has a copy of, in a folder of the same form, so that whatever reads a folder reads the copy;
what is large (events, traces) stays in the database. This module is what `outcome_monitors.storage.opening` asks for.
"""

from pathlib import Path

from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.folder import FolderStorage
from outcome_monitors.storage.labels import Labels

from .fleet import Fleet
from .postgres import Postgres

__all__ = [
    "follow",
    "open_state",
    "publish",
]


def open_state(address: StateAddress) -> Postgres:
    """Return the state at an address."""
    return Postgres(address)


def follow(address: StateAddress, labels: Labels) -> Fleet:
    """Return a process's part in a fleet, which follows it from now on."""
    fleet = Fleet(address, labels)
    fleet.start()
    return fleet


def publish(folder: Path, contracts: str, calls: int) -> None:
    """Make contracts that were mined in a folder the next version there, and put them in force."""
    from outcome_monitors_server.versions.versions import publish as publish_version  # noqa: PLC0415 - only a miner asks

    with FolderStorage(folder).versions(change=True) as table:
        publish_version(table, contracts, by="a proxy", evidence={"calls": calls})
