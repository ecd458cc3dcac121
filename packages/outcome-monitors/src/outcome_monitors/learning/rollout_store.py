"""The rollout of all tools in one SQLite file, which many proxies may share.

One of a later version is left as it is. One that is torn, or is no such file, is set aside, and another begun: what was recorded is
in the traces, and tools come to where they were.
"""

from collections.abc import Hashable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.files import storable
from outcome_monitors.model import Clause
from outcome_monitors.rules import RETIRED, current_name
from outcome_monitors.storage.labels import NO_LABELS
from outcome_monitors.storage.layout import STAGES
from outcome_monitors.storage.sqlite import TableFile
from outcome_monitors.storage.tables import TableConnection

from .rollout import (
    ClauseRollout,
    ClientHour,
    ResultCounts,
    Thresholds,
    ToolRollout,
    ToolSnapshot,
    Transition,
    clause_of,
)

__all__ = ["AllTools", "RolloutStore", "clauses_in_rollout", "read_rollout"]

_PUT = """
INSERT INTO trials VALUES (?, ?, ?, ?, ?)
ON CONFLICT (tool) DO UPDATE SET stage = excluded.stage, contract = excluded.contract"""
_PUT_CLAUSE = """
INSERT INTO clauses VALUES (?, ?, ?, ?, 0, ?, NULL, 0)
ON CONFLICT (tool, clause) DO UPDATE SET begun = excluded.begun, flagged = 0, trial = excluded.trial"""
_DOUBT = """
UPDATE clauses SET trial = proven, proven = NULL, flagged = 0, noise = 0.0,
  begun = (SELECT checked FROM trials WHERE trials.tool = clauses.tool)
WHERE tool = ? AND clause = ? AND proven IS NOT NULL"""
_SHARE = """
INSERT INTO shares VALUES (?, ?, ?)
ON CONFLICT (tool) DO UPDATE SET recent = shares.recent * ? + excluded.recent, told = shares.told * ? + excluded.told"""
_EVIDENCE = """
INSERT INTO witnesses SELECT tool, ?, ?, ?, checked FROM trials WHERE tool = ?
ON CONFLICT (tool, client, hour) DO UPDATE SET results = witnesses.results + excluded.results, last = excluded.last"""
_FORGET = """
DELETE FROM witnesses WHERE tool = ? AND last < (
  SELECT last FROM witnesses WHERE tool = ? ORDER BY last DESC LIMIT 1 OFFSET ?)"""
_TOOLS = """
SELECT trials.tool, stage, contract, checked, flagged, coalesce(recent, 0.0), coalesce(told, 0.0)
FROM trials LEFT JOIN shares ON shares.tool = trials.tool"""
_CLAUSES = """
SELECT clause, kind, begun, flagged, proven IS NOT NULL, proven IS NULL OR proven <> trial, noise FROM clauses WHERE tool = ?"""
_CURRENT = f" AND kind NOT IN ({', '.join(map(repr, RETIRED))})"
"""Clauses of kinds that there are no more are passed over, in a file of an earlier release."""
_IN_FORCE = f"SELECT tool, clause, proven FROM clauses WHERE proven IS NOT NULL{_CURRENT}"  # noqa: S608 - kinds of our own
_ALL_TEXTS = f"SELECT tool, clause, coalesce(proven, trial) FROM clauses WHERE true{_CURRENT}"  # noqa: S608 - the same
_TEXTS = f"SELECT clause, trial FROM clauses WHERE tool = ?{_CURRENT}"  # noqa: S608 - the same

SPAN = 50
"""Recent results: one so long ago counts for a third."""
MOST_EVIDENCE = 1000
"""Hours of clients that are kept of a tool; those heard of last are."""
LONGEST_CLIENT = 200
"""Characters of a name that an index of any database takes; clients that begin alike count as one then."""
BUSY = 2.0
"""Seconds that one try waits for another process."""


class AllTools(NamedTuple):
    """What a file knows of all tools."""

    tools: Mapping[str, ToolSnapshot]
    recorded: int = 0
    """Calls that were recorded,"""
    mined: int = 0
    """and how many there were when contracts were last mined."""


def read_rollout(file: Path) -> AllTools:
    """Read a file, and change nothing; one of a later version is refused, and one that is still being made has nothing."""
    with TableFile(file, STAGES).reading() as connection:
        connection.execute("BEGIN")
        names = [tool for [tool] in connection.execute("SELECT tool FROM trials").fetchall()]
        tools = {tool: _snapshot(connection, tool) for tool in names}
        recorded, mined = connection.execute("SELECT recorded, mined FROM progress").fetchone()
        return AllTools(tools, recorded, mined)


def clauses_in_rollout(file: Path) -> dict[str, tuple[str, Clause]]:
    """Return the clauses of a file that are in force or being validated, by id, each with its tool."""
    with TableFile(file, STAGES).reading() as connection:
        rows = connection.execute(_ALL_TEXTS).fetchall()
    return {name: (tool, clause_of(text)) for tool, name, text in rows}


class RolloutStore:
    """The rollout of all tools, in a file or, in a subclass, in a fleet's database."""

    def __init__(self, path: Path) -> None:
        self.line = NO_LABELS
        """The line of contracts that is rolled out; a folder has one."""
        self._file = TableFile(path, STAGES)
        self._block: TableConnection | None = None
        """That of the block that is `together`."""

    def __str__(self) -> str:
        return str(self._file)

    def key(self, tool: str) -> str:
        """Return what a tool is called in the tables."""
        return tool

    def tools(self, key: str) -> list[str]:
        """Return the tool that a row is of; nothing where it is none of ours."""
        return [key]

    def read(self) -> dict[str, ToolRollout]:
        """Return the rollout of each tool."""
        with self._reading() as connection:
            rows = connection.execute(_TOOLS).fetchall()
        return {tool: ToolRollout(*rest) for key, *rest in rows for tool in self.tools(key)}

    def in_force(self) -> dict[tuple[str, str], str]:
        """Return what each clause says that is in force, by tool and clause, as JSON."""
        with self._reading() as connection:
            rows = connection.execute(_IN_FORCE).fetchall()
        return {(tool, clause): proven for key, clause, proven in rows for tool in self.tools(key)}

    def texts(self, tool: str) -> dict[str, str]:
        """Return what each clause of a tool says that is validated, or in force, as JSON."""
        with self._reading() as connection:
            return dict(connection.execute(_TEXTS, (self.key(tool),)).fetchall())

    def turn(self) -> Hashable:
        """Return what is another when stages or clauses have changed."""
        with self._reading() as connection:
            turn: int = connection.execute("SELECT turn FROM turns").fetchone()[0]
            return turn

    def snapshot(self, tool: str) -> ToolSnapshot:
        """Return how a tool stands."""
        with self._reading() as connection:
            return _snapshot(connection, self.key(tool))

    def add(self, counts: Mapping[str, ResultCounts]) -> None:
        """Count results of tools whose clauses are validated."""
        with self._writing() as connection:
            for tool, each in counts.items():
                _add(connection, self.key(tool), each)
            broken = sum(each.broken for each in counts.values())
            connection.execute("UPDATE turns SET disputed = disputed + ?", (broken,))

    def apply(self, transitions: Mapping[str, Transition]) -> None:
        """Write what becomes of tools."""
        with self._writing() as connection:
            for tool, change in transitions.items():
                _apply(connection, self.key(tool), change)
            connection.execute("UPDATE turns SET turn = turn + 1")

    def recorded(self, calls: int) -> None:
        """Count calls that were recorded."""
        with self._writing() as connection:
            connection.execute("UPDATE progress SET recorded = recorded + ?", (calls,))

    def due(self, thresholds: Thresholds) -> bool:
        """Say whether it is time to mine, and note that it is being done."""
        with self._writing() as connection:
            recorded, mined = connection.execute("SELECT recorded, mined FROM progress").fetchone()
            disputed = connection.execute("SELECT disputed FROM turns").fetchone()[0]
            many = recorded - mined >= max(thresholds.calls, mined // 5)
            if not many and disputed < max(thresholds.disputed, mined // 50):
                return False
            connection.execute("UPDATE progress SET mined = recorded")
            connection.execute("UPDATE turns SET disputed = 0")
            return True

    def set_aside(self) -> Path | None:
        """Put a file that is torn out of the way, unless another process has done so; return where it is."""
        return self._file.set_aside()

    @contextmanager
    def together(self) -> Iterator[None]:
        """Have what is read and written in a block be one transaction."""
        with self._file.writing(BUSY) as connection:
            self._block = connection
            try:
                yield
            finally:
                self._block = None

    @contextmanager
    def _reading(self) -> Iterator[TableConnection]:
        if self._block is not None:
            yield self._block
            return
        with closing(self._file.opened(BUSY)) as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[TableConnection]:
        if self._block is not None:
            yield self._block
            return
        with self.together(), self._reading() as connection:
            yield connection


def _snapshot(connection: TableConnection, tool: str) -> ToolSnapshot:
    rollout = connection.execute(f"{_TOOLS} WHERE trials.tool = ?", (tool,)).fetchone()
    clauses = {
        clause: ClauseRollout(current_name(kind), begun, flagged, bool(proven), bool(pending), noise)
        for clause, kind, begun, flagged, proven, pending, noise in connection.execute(
            _CLAUSES + _CURRENT, (tool,)
        )
    }
    rows = connection.execute("SELECT client, hour, results, last FROM witnesses WHERE tool = ?", (tool,))
    evidence = {ClientHour(client, hour, results): last for client, hour, results, last in rows}
    return ToolSnapshot(ToolRollout(*rollout[1:]) if rollout is not None else None, clauses, evidence)


def _add(connection: TableConnection, tool: str, counts: ResultCounts) -> None:
    results = counts.seen.total()
    connection.execute(
        "UPDATE trials SET checked = checked + ?, flagged = flagged + ? WHERE tool = ?",
        (results, counts.broken, tool),
    )
    kept = (1 - 1 / SPAN) ** results
    connection.execute(_SHARE, (tool, results, counts.told, kept, kept))
    connection.execute("UPDATE clauses SET noise = noise * ? WHERE tool = ?", (kept, tool))
    evidence = [
        (storable(client)[:LONGEST_CLIENT], hour, many, tool) for (client, hour), many in counts.seen.items()
    ]
    connection.executemany(_EVIDENCE, evidence)
    for column, by_clause in (("flagged", counts.flagged), ("noise", counts.noise)):
        connection.executemany(
            f"UPDATE clauses SET {column} = {column} + ? WHERE tool = ? AND clause = ?",  # noqa: S608 - one of two
            [(many, tool, clause) for clause, many in by_clause.items()],
        )
    connection.execute(_FORGET, (tool, tool, MOST_EVIDENCE))


def _apply(connection: TableConnection, tool: str, change: Transition) -> None:
    if change.rollout is not None:
        connection.execute(_PUT, (tool, *change.rollout[:4]))
    connection.executemany(_PUT_CLAUSE, [(tool, *row) for row in change.begin])
    connection.executemany(
        "UPDATE clauses SET proven = trial, flagged = 0 WHERE tool = ? AND clause = ? AND begun = ?",
        [(tool, *which) for which in change.prove],
    )
    connection.executemany(_DOUBT, [(tool, clause) for clause in change.doubt])
    if change.doubt:
        connection.execute("UPDATE shares SET recent = 0.0, told = 0.0 WHERE tool = ?", (tool,))
    connection.executemany(
        "DELETE FROM clauses WHERE tool = ? AND clause = ?", [(tool, clause) for clause in change.drop]
    )
