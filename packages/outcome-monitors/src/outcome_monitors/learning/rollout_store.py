"""The rollout of all tools in one SQLite file, which many proxies may share, or in a fleet's database.

A file of a later version is left as it is. One that is torn, or is no such file, is set aside, and another begun: what was recorded is
in the traces, and tools come to where they were.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.files import storable
from outcome_monitors.model import Clause
from outcome_monitors.rules import RETIRED, current_name
from outcome_monitors.storage.layout import STAGES
from outcome_monitors.storage.sqlite import TableFile
from outcome_monitors.storage.tables import Row, Rows, Tables

from .rollout import (
    LOUD,
    ClauseRollout,
    ClientHour,
    ResultCounts,
    Thresholds,
    ToolRollout,
    ToolSnapshot,
    Transition,
    clause_of,
)

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
    with TableFile(file, STAGES).reading() as rows:
        [counted] = rows.select("progress")
        tools = {tool: _snapshot(rows, tool, rollout) for tool, rollout in _tools(rows).items()}
        return AllTools(tools, counted["recorded"], counted["mined"])


def clauses_in_rollout(file: Path) -> dict[str, tuple[str, Clause]]:
    """Return the clauses of a file that are in force or being validated, by id, each with its tool."""
    with TableFile(file, STAGES).reading() as rows:
        return {
            row["clause"]: (row["tool"], clause_of(row["trial"] if row["proven"] is None else row["proven"]))
            for row in _clauses(rows)
        }


class RolloutStore:
    """The rollout of all tools, in tables that others write to as well."""

    def __init__(self, tables: Path | Tables) -> None:
        self.tables = TableFile(tables, STAGES) if isinstance(tables, Path) else tables
        self._block: Rows | None = None
        """Those of the block that is `together`."""

    def __str__(self) -> str:
        return str(self.tables)

    def read(self) -> dict[str, ToolRollout]:
        """Return the rollout of each tool."""
        with self._reading() as rows:
            return _tools(rows)

    def in_force(self) -> dict[tuple[str, str], str]:
        """Return what each clause says that is in force, by tool and clause, as JSON."""
        with self._reading() as rows:
            found = _clauses(rows)
        return {(row["tool"], row["clause"]): row["proven"] for row in found if row["proven"] is not None}

    def texts(self, tool: str) -> dict[str, str]:
        """Return what each clause of a tool says that is validated, or in force, as JSON."""
        with self._reading() as rows:
            return {row["clause"]: row["trial"] for row in _clauses(rows, tool)}

    def turn(self) -> int:
        """Return what is another when stages or clauses have changed."""
        with self._reading() as rows:
            return int(rows.select("turns")[0]["turn"])

    def snapshot(self, tool: str) -> ToolSnapshot:
        """Return how a tool stands."""
        with self._reading() as rows:
            return _snapshot(rows, tool, _tools(rows, tool).get(tool))

    def add(self, counts: Mapping[str, ResultCounts]) -> None:
        """Count results of tools whose clauses are validated."""
        with self._writing() as rows:
            for tool, each in counts.items():
                _add(rows, tool, each)
            _increase(rows, "turns", "disputed", sum(each.broken for each in counts.values()))

    def apply(self, transitions: Mapping[str, Transition]) -> None:
        """Write what becomes of tools."""
        with self._writing() as rows:
            for tool, change in transitions.items():
                _apply(rows, tool, change)
            _increase(rows, "turns", "turn", 1)

    def recorded(self, calls: int) -> None:
        """Count calls that were recorded."""
        with self._writing() as rows:
            _increase(rows, "progress", "recorded", calls)

    def due(self, thresholds: Thresholds) -> bool:
        """Say whether it is time to mine, and note that it is being done."""
        with self._writing() as rows:
            [counted], [turns] = rows.select("progress"), rows.select("turns")
            recorded, mined = counted["recorded"], counted["mined"]
            many = recorded - mined >= max(thresholds.calls, mined // 5)
            if not many and turns["disputed"] < max(thresholds.disputed, mined // 50):
                return False
            rows.update("progress", {"mined": recorded})
            rows.update("turns", {"disputed": 0})
            return True

    def set_aside(self) -> Path | None:
        """Put a file that is torn out of the way, unless another process has done so; return where it is."""
        return self.tables.set_aside()

    @contextmanager
    def together(self) -> Iterator[Rows]:
        """Have what is read and written in a block be one transaction."""
        with self.tables.writing(BUSY) as rows:
            self._block = rows
            try:
                yield rows
            finally:
                self._block = None

    @contextmanager
    def _reading(self) -> Iterator[Rows]:
        if self._block is not None:
            yield self._block
            return
        with self.tables.reading() as rows:
            yield rows

    @contextmanager
    def _writing(self) -> Iterator[Rows]:
        if self._block is not None:
            yield self._block
            return
        with self.together() as rows:
            yield rows


def _tools(rows: Rows, tool: str | None = None) -> dict[str, ToolRollout]:
    shares = {row["tool"]: (row["recent"], row["told"]) for row in rows.select("shares", tool=tool)}
    return {
        name: ToolRollout(*rest, *shares.get(name, ()))
        for name, *rest in map(dict.values, rows.select("trials", tool=tool))
    }


def _clauses(rows: Rows, tool: str | None = None) -> list[Row]:
    """Return the clauses of a tool, or of all; those of kinds that there are no more, in a file of an earlier release, are passed over."""
    return [row for row in rows.select("clauses", tool=tool) if row["kind"] not in RETIRED]


def _snapshot(rows: Rows, tool: str, rollout: ToolRollout | None) -> ToolSnapshot:
    clauses = {
        row["clause"]: ClauseRollout(
            current_name(row["kind"]),
            row["begun"],
            row["flagged"],
            row["proven"] is not None,
            row["proven"] != row["trial"],
            row["noise"],
        )
        for row in _clauses(rows, tool)
    }
    evidence = {
        ClientHour(row["client"], row["hour"], row["results"]): row["last"]
        for row in rows.select("witnesses", tool=tool)
    }
    return ToolSnapshot(rollout, clauses, evidence)


def _increase(rows: Rows, counter: str, column: str, number: int) -> None:
    [row] = rows.select(counter)
    rows.update(counter, {column: row[column] + number})


def _add(rows: Rows, tool: str, counts: ResultCounts) -> None:
    results = counts.seen.total()
    seen = {(row["client"], row["hour"]): row["results"] for row in rows.select("witnesses", tool=tool)}
    first = {
        one: _first(seen.get((_stored(one[0]), one[1]), 0), number) for one, number in counts.seen.items()
    }
    weight = (1 - 1 / SPAN) ** sum(first.values())
    new = sum(counts.told[one] * number / counts.seen[one] for one, number in first.items())
    [share] = rows.select("shares", tool=tool) or [{"tool": tool, "recent": 0.0, "told": 0.0}]
    recent, told = share["recent"] * weight + sum(first.values()), share["told"] * weight + new
    part = new / max(counts.told.total(), 1)
    rows.put("shares", [{**share, "recent": recent, "told": told}])
    rows.put(
        "clauses",
        [
            {
                **row,
                "flagged": row["flagged"] + counts.flagged[row["clause"]],
                "noise": row["noise"] * weight + counts.noise[row["clause"]] * part,
            }
            for row in rows.select("clauses", tool=tool)
        ],
    )
    for row in rows.select("trials", tool=tool):
        checked = row["checked"] + results
        rows.put("trials", [{**row, "checked": checked, "flagged": row["flagged"] + counts.broken}])
        _add_evidence(rows, tool, counts, checked)


def _first(before: int, results: int) -> int:
    """Return how many of further results are among the first of a client's hour."""
    return max(0, min(before + results, LOUD) - before)


def _stored(client: str) -> str:
    return storable(client)[:LONGEST_CLIENT]


def _add_evidence(rows: Rows, tool: str, counts: ResultCounts, checked: int) -> None:
    more = Counter[tuple[str, int]]()
    for (client, hour), results in counts.seen.items():
        more[_stored(client), hour] += results
    known = {(row["client"], row["hour"]): row for row in rows.select("witnesses", tool=tool)}
    known |= {
        (client, hour): {
            "tool": tool,
            "client": client,
            "hour": hour,
            "results": results + known.get((client, hour), {}).get("results", 0),
            "last": checked,
        }
        for (client, hour), results in more.items()
    }
    rows.put("witnesses", [known[one] for one in more])
    if len(known) > MOST_EVIDENCE:
        least = sorted(row["last"] for row in known.values())[-MOST_EVIDENCE - 1]
        rows.delete("witnesses", tool=tool, before=least)


def _apply(rows: Rows, tool: str, change: Transition) -> None:
    if change.rollout is not None:
        names = ("tool", "stage", "contract", "checked", "flagged")
        rows.put("trials", [dict(zip(names, (tool, *change.rollout[:4]), strict=True))])
    clauses = {row["clause"]: row for row in rows.select("clauses", tool=tool)}
    for name, kind, begun, text in change.begin:
        new = {"tool": tool, "clause": name, "kind": kind, "proven": None, "noise": 0.0}
        clauses[name] = {**clauses.get(name, new), "begun": begun, "flagged": 0, "trial": text}
    for name, begun in change.prove:
        if name in clauses and clauses[name]["begun"] == begun:
            clauses[name] |= {"proven": clauses[name]["trial"], "flagged": 0}
    for name in change.doubt:
        if name in clauses and clauses[name]["proven"] is not None:
            [trial] = rows.select("trials", tool=tool)
            again = {"trial": clauses[name]["proven"], "proven": None, "begun": trial["checked"]}
            clauses[name] |= {**again, "flagged": 0, "noise": 0.0}
    if change.doubt:
        rows.update("shares", {"recent": 0.0, "told": 0.0}, tool=tool)
    rows.put("clauses", clauses.values())
    rows.delete("clauses", tool=tool, clause=change.drop)
