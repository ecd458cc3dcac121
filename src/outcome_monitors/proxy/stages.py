"""How far each tool has come: its stage and its trial, in one SQLite file that many proxies may share."""

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

__all__ = ["ADVISING", "OBSERVING", "SHADOW", "STAGES", "StageTrial", "Stages", "Thresholds"]

OBSERVING, SHADOW, ADVISING = "observing", "shadow", "advising"
STAGES: Mapping[str, str] = {
    OBSERVING: "its results are recorded; only the server's own schema is held against them",
    SHADOW: "its results are held against what was learned, and nobody is told",
    ADVISING: "the agent is told",
}
"""The stages that a tool goes through, in order."""
_TABLES = """
CREATE TABLE IF NOT EXISTS trials (
  tool TEXT PRIMARY KEY, stage TEXT NOT NULL, contract TEXT NOT NULL, checked INTEGER NOT NULL, flagged INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY CHECK (id = 0), recorded INTEGER, mined INTEGER);
INSERT OR IGNORE INTO progress VALUES (0, 0, 0);
"""
_ADD = "UPDATE trials SET checked = checked + ?, flagged = flagged + ? WHERE tool = ? AND contract = ?"
_PUT = """
INSERT INTO trials VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tool) DO UPDATE SET
  stage = excluded.stage, contract = excluded.contract, checked = excluded.checked, flagged = excluded.flagged"""


class Thresholds(NamedTuple):
    """When evidence suffices."""

    tasks: int = 20
    """Distinct tasks behind a contract before it is tried."""
    results: int = 100
    """Results it is then tried on before anyone is told."""
    flagged: float = 0.01
    """The share of these that it may flag."""
    calls: int = 20
    """Recorded calls after which contracts are mined, at first; later a fifth more of all."""


class StageTrial(NamedTuple):
    """A tool's stage, and how the contract on trial has done."""

    stage: str
    contract: str
    """A hash of the contract."""
    checked: int = 0
    flagged: int = 0

    def promoted(self, thresholds: Thresholds) -> "StageTrial":
        """Return the trial after its evidence was looked at."""
        enough = self.checked >= thresholds.results
        if self.stage == SHADOW and enough and self.flagged <= thresholds.flagged * self.checked:
            return self._replace(stage=ADVISING)
        return self

    def renewed(self, contract: str) -> "StageTrial":
        """Return the trial of a contract that was mined anew; one that had flagged something starts again."""
        if contract == self.contract:
            return self
        fresh = StageTrial(self.stage, contract)
        return (
            fresh
            if self.stage == SHADOW and self.flagged
            else fresh._replace(checked=self.checked, flagged=self.flagged)
        )


class Stages:
    """The trials of all tools, on disk."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, StageTrial]:
        """Return the trial of each tool."""
        with closing(self._open()) as connection:
            return {tool: StageTrial(*rest) for tool, *rest in connection.execute("SELECT * FROM trials")}

    def add(self, counts: Iterable[tuple[str, str, int, int]]) -> None:
        """Count results: the tool, the contract it was held against, how many, how many of them flagged."""
        with closing(self._open()) as connection, connection:
            connection.executemany(
                _ADD, [(checked, flagged, tool, contract) for tool, contract, checked, flagged in counts]
            )

    def put(self, trials: Mapping[str, StageTrial]) -> None:
        """Write trials."""
        with closing(self._open()) as connection, connection:
            connection.executemany(_PUT, [(tool, *trial) for tool, trial in trials.items()])

    def recorded(self, calls: int) -> tuple[int, int]:
        """Count calls that were recorded; return how many there are, and how many there were when contracts were mined."""
        with closing(self._open()) as connection, connection:
            connection.execute("UPDATE progress SET recorded = recorded + ?", (calls,))
            recorded, mined = connection.execute("SELECT recorded, mined FROM progress").fetchone()
            return recorded, mined

    def mined(self, calls: int) -> None:
        """Note that contracts are mined from so many calls."""
        with closing(self._open()) as connection, connection:
            connection.execute("UPDATE progress SET mined = ?", (calls,))

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=2.0)
        try:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'progress'").fetchone():
                connection.execute("PRAGMA journal_mode=WAL")
                connection.executescript(_TABLES)
        except BaseException:
            connection.close()
            raise
        return connection
