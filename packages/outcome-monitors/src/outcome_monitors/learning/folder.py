"""The folder that is learned in, as others look into it: what it knows of tools, and what people have decided.

A fleet's state has that form too: what is small is in a copy, what is large in the database. Nothing is written here. A file that is
missing is nothing yet; one that is torn, or of a later release, is a warning and is left out.
"""

import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from outcome_monitors.contracts.identity import OF_ALL_CONTRACTS, known_clauses
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.exceptions import OutcomeMonitorsError, TraceError
from outcome_monitors.files import FilePath
from outcome_monitors.jsonvalue.paths import ROOT
from outcome_monitors.model import Call, Clause
from outcome_monitors.storage.layout import (
    CONTRACTS,
    GIVEN,
    OVERRIDES,
    STAGES,
    TOOLS,
)
from outcome_monitors.storage.opening import current_storage
from outcome_monitors.storage.storage import EventTable, Storage
from outcome_monitors.traces.reader import parse_line

from .rollout_store import clauses_in_rollout

log = logging.getLogger("outcome_monitors.mcp")

SCHEMA = "tools/list"
"""What clauses of the server's own schemas name as their source."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StateFolder:
    """A folder that something is learned in."""

    storage: Storage

    @classmethod
    def at(cls, path: FilePath) -> "StateFolder":
        """Return the folder at a path, or what is at an address; refuse what is none, or is away. Who asks closes it."""
        return cls(current_storage(path))

    def close(self) -> None:
        """Let connections go."""
        self.storage.close()

    @property
    def path(self) -> Path:
        """Where what is small is read."""
        return self.storage.folder

    @property
    def name(self) -> str:
        """What it is called; of an address neither user nor password are shown."""
        return str(self.storage)

    @property
    def events(self) -> EventTable:
        """Where its events are."""
        return self.storage.events

    def mined(self) -> Registry:
        """Return the contracts that were mined last."""
        return self._read(CONTRACTS, Registry.load, Registry())

    def tools(self) -> dict[str, dict[str, object]]:
        """Return the tools that were listed last, by name."""
        return self._read(TOOLS, _listed, {})

    def registry(self) -> Registry:
        """Return all contracts: those that were given, those of the server's schemas, and those that were mined."""
        given = self._read(GIVEN, Registry.load, Registry())
        return given.merge(schemas_of(self.tools())).merge(self.mined())

    def overrides(self) -> Overrides:
        """Return what people have decided; a file that cannot be used is refused, since the next decision would replace it."""
        file = self.path / OVERRIDES
        return Overrides.load(file) if file.exists() else Overrides()

    def known(self) -> dict[str, tuple[str, Clause]]:
        """Return every clause that an alarm may name, by id: those of the contracts, and those that are in force or on trial."""
        registry = self.registry()
        together = [Clause(kind, ROOT, {}, 0, 0, "traces") for kind in OF_ALL_CONTRACTS]
        return {
            **known_clauses(dict.fromkeys(registry.contracts, together)),
            **self._read(STAGES, clauses_in_rollout, {}),
            **known_clauses(owned(registry)),
        }

    def calls(self) -> Iterator[Call]:
        """Yield the calls that were recorded, oldest first."""
        for line in self.storage.recorded_lines():
            with suppress(TraceError):
                yield parse_line(line.data)

    def _read(self, name: str, read: Callable[[Path], T], nothing: T) -> T:
        file = self.path / name
        try:
            return read(file) if file.exists() else nothing
        except (OSError, ValueError, KeyError, TypeError, OutcomeMonitorsError, sqlite3.Error) as error:
            log.warning("%s cannot be read, and is left out: %s", file, error)
            return nothing


def schemas_of(tools: dict[str, dict[str, object]]) -> Registry:
    """Return what the output schemas of tools demand."""
    from outcome_monitors.contracts.sources import from_mcp_tools  # noqa: PLC0415 - schemas take long to load, and many servers have none

    if not any("outputSchema" in tool for tool in tools.values()):
        return Registry()
    report = from_mcp_tools({"tools": list(tools.values())}, SCHEMA)
    return Registry({contract.tool: contract for contract in report.accepted})


def _listed(file: Path) -> dict[str, dict[str, object]]:
    return {tool["name"]: tool for tool in json.loads(file.read_bytes())["tools"]}
