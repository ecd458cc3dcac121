"""State that a fleet shares, as this distribution sees it; `outcome-monitors-server` keeps it, in PostgreSQL."""

import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, Protocol

from outcome_monitors.distributions import SERVER, part_of
from outcome_monitors.model import Clause

from .address import StateAddress
from .labels import Labels
from .storage import Storage
from .tables import TableConnection

__all__ = ["LINES", "PATIENCE", "SharedBackend", "SharedState", "line_of", "lines_known", "shared_backend"]

PATIENCE = 20.0
"""Seconds that one piece of work may take before its connection is cut."""
LINES = "lines.json"
"""In a copy, where a fleet has more than one line of contracts: which of them it has, the digest of its contracts, and the others."""


class SharedState(Storage, Protocol):
    """The state at an address."""

    address: StateAddress
    behind: float
    """Seconds by which this host's clock is behind the database's, where that is more than a few."""

    def now(self) -> float:
        """Return the time by the database's clock, as far as that is known."""

    def reading(self, patience: float = ...) -> AbstractContextManager[TableConnection]:
        """Give a connection that reads one state of all tables; refuse where there is none, or a later release's."""

    def pooled(self) -> "SharedState":
        """Return the same for one who asks often: connections are used again. Who asks closes it."""

    def lines(self) -> Iterator[bytes]:
        """Yield the recorded calls, each as a line of a trace file."""

    def clauses_of_other_lines(self, copy: Path) -> dict[str, tuple[str, Clause]]:
        """Return the clauses of contracts that are for some of those whose state this is, by id."""

    def changing_decisions(self, name: str) -> "AbstractContextManager[SharedDecisions]":
        """Give what people have decided to be changed by one at a time."""

    def forget_events(self, before: float) -> int:
        """Delete events that are older than a time, and return how many they were."""

    def close(self) -> None:
        """Let connections go."""


class SharedDecisions(Protocol):
    """What people have decided, while one of them decides."""

    text: str | None
    """As it is; None where nobody has decided anything."""
    name: str
    """What it is called in errors."""

    def put(self, text: str, by: str) -> None:
        """Put another in its place."""


class SharedBackend(Protocol):
    """What the distribution that keeps shared state gives to this one."""

    def open_state(self, address: StateAddress) -> SharedState:
        """Return the state at an address."""

    def refresh(self, state: Any, folder: Path) -> None:
        """Bring the copy in a folder up to what the database has."""

    def copied_at(self, folder: Path) -> float | None:
        """Return when a copy was last as the database is; None where there is none."""

    def follow(self, address: StateAddress, labels: Labels) -> Any:
        """Return a process's part in a fleet, which follows it from now on."""

    def exchanged_changes(self, state: Any, folder: Path) -> AbstractContextManager[Any]:
        """Give a table of what has become usual; what is new in it goes to the database at the end."""

    def publish(self, folder: Path, contracts: str, calls: int) -> None:
        """Make contracts that were mined in a folder the next version there, and put them in force."""

    def refuse_unreadable(self, address: StateAddress) -> None:
        """Refuse a state that cannot be read now."""


def shared_backend(job: str = "state in PostgreSQL") -> SharedBackend:
    """Return what keeps shared state; say what to install where nothing does."""
    backend: SharedBackend = part_of(SERVER, "storage", job)
    return backend


def line_of(folder: Path) -> Labels:
    """Return the line whose contracts a copy has."""
    return Labels.read(str(lines_known(folder).get("labels", "")))


def lines_known(folder: Path) -> Mapping[str, Any]:
    """Return what a copy says of lines; nothing where the fleet has one."""
    with suppress(OSError, ValueError):
        found = json.loads((folder / LINES).read_bytes())
        if isinstance(found, dict):
            return found
    return {}
