"""Contracts in words: every clause of a folder, found by the words that stand in it."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.contracts.identity import name_clause
from outcome_monitors.contracts.overrides import Overrides
from outcome_monitors.contracts.registry import owned
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.model import Clause
from outcome_monitors.reports.markup import Markup, element
from outcome_monitors.reports.tables import table
from outcome_monitors.rules import explain
from outcome_monitors.values.display import clip_text
from outcome_monitors.values.folders import CONTRACTS, GIVEN, TOOLS

from .alarm_view import hidden, link

__all__ = ["ClauseBook", "SpokenClause", "clause_search"]

MOST_SHOWN = 200
LONGEST_QUESTION = 200
LONGEST_WORDS = 240


class SpokenClause(NamedTuple):
    """A clause, as it is shown."""

    tool: str
    path: str
    words: str
    address: str
    id: str
    tasks: int
    source: str

    def has(self, asked: Sequence[str]) -> bool:
        """Say whether all these words stand in it."""
        text = f"{self.tool} {self.words} {self.address} {self.source}".casefold()
        return all(word in text for word in asked)

    def also(self, other: "SpokenClause") -> "SpokenClause":
        """Return this clause with another source of it."""
        return self._replace(tasks=max(self.tasks, other.tasks), source=f"{self.source}, {other.source}")


class ClauseBook:
    """The clauses of a folder, read anew when its contracts change."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state
        self._marks: object = None
        self._rows: list[SpokenClause] = []

    def rows(self) -> list[SpokenClause]:
        """Return all of them, by tool; what cannot be read is left out, and the status says so."""
        marks = [_mark(self._state.path / name) for name in (CONTRACTS, GIVEN, TOOLS)]
        if marks != self._marks:
            self._rows, self._marks = [*self._read()], marks
        return self._rows

    def _read(self) -> Iterator[SpokenClause]:
        try:
            clauses = owned(self._state.registry())
        except (OSError, OutcomeMonitorsError, sqlite3.Error):
            return
        for tool, found in clauses.items():
            # What a schema demands and traces show as well is one clause.
            rows: dict[str, SpokenClause] = {}
            for row in (_row(tool, clause) for clause in found):
                known = rows.get(row.id)
                rows[row.id] = row if known is None else known.also(row)
            yield from rows.values()


def _row(tool: str, clause: Clause) -> SpokenClause:
    name, words = name_clause(tool, clause), clip_text(explain(clause), LONGEST_WORDS)
    return SpokenClause(tool, clause.path, words, name.address, name.id, clause.tasks, clause.source)


def clause_search(
    rows: Sequence[SpokenClause], asked: str, silence: Overrides, form: str
) -> Iterator[Markup]:
    """Yield the field to search in, and the clauses that have all the words asked for."""
    asked = asked[:LONGEST_QUESTION]
    field = element(
        "input",
        type="search",
        name="q",
        value=asked,
        placeholder="words, a tool, an address",
        aria_label="Search",
    )
    yield element("form", field, element("button", "Search"), method="get", class_="search", role="search")
    found = [row for row in rows if row.has(asked.casefold().split())]
    yield element("p", f"{len(found):,} of {len(rows):,} clauses", class_="note", role="status")
    yield clause_table(found[:MOST_SHOWN], silence, form)
    if len(found) > MOST_SHOWN:
        yield element("p", f"The first {MOST_SHOWN} are shown; more words find fewer.", class_="note")


def clause_table(rows: Sequence[SpokenClause], silence: Overrides, form: str) -> Markup:
    """Return clauses as a table, each with its button."""
    now = time.time()
    return table(
        ("clause", "tool", ">tasks", "source", "address", "told of"),
        [
            (
                row.words,
                link(row.tool, "tool", name=row.tool),
                f"{row.tasks:,}" if row.tasks else "",
                clip_text(row.source),
                element("code", clip_text(row.address, 200), class_="address"),
                _switch(row, silence.silences(row.id, now), form),
            )
            for row in rows
        ],
        stacked=True,
    )


def _switch(row: SpokenClause, why: str, form: str) -> Markup:
    what = {"": "mute", "muted": "unmute"}.get(why, "accept")
    return element(
        "form",
        *([element("span", why, class_="badge")] if why else []),
        hidden("form", form),
        hidden("clause", row.address),
        element("button", what.title(), name="what", value=what),
        element("output"),
        method="post",
        action="/decide",
        class_="decide",
    )


def _mark(file: Path) -> object:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
