"""The two homes of state: what a folder has, in that folder or in a fleet's PostgreSQL, so that a test can be held against both."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from outcome_monitors.state.address import StateAddress
from outcome_monitors.values.folders import recorded
from outcome_monitors_server.storage.documents import NAMES, put
from outcome_monitors_server.storage.postgres import Postgres, SharedConnection

__all__ = ["Home", "home", "moved"]

Home = Callable[[Path], str]
"""Takes a folder to where its state is read in this test, and returns how that is named."""
TABLES = {
    "stages.sqlite": ("trials", "progress", "shares", "clauses", "witnesses", "turns"),
    "changes.sqlite": ("ways",),
    "events.sqlite": ("events",),
}


@pytest.fixture(params=["folder", "postgres"])
def home(request: pytest.FixtureRequest) -> Home:
    """Where a state is read: as it is in its folder, then the same in a fleet's database."""
    if request.param == "folder":
        return str
    fleet = request.getfixturevalue("fleet")
    return lambda folder: moved(folder, fleet)


def moved(folder: Path, fleet: str) -> str:
    """Put all that a folder has into a fleet's database; return its address."""
    state = Postgres(StateAddress.read(fleet))
    with state.writing() as shared:
        for name in NAMES:
            if (folder / name).exists():
                put(shared, name, (folder / name).read_text())
        for file, tables in TABLES.items():
            for table in tables if (folder / file).exists() else ():
                _copy(shared, folder / file, table)
        for line in _lines(folder):
            call = json.loads(line)
            shared.execute(
                "INSERT INTO traces (time, tool, session, line) VALUES (extract(epoch from ?::timestamptz), ?, ?, ?)",
                (call.get("time", "2026-03-01T00:00:00Z"), call["tool"], call.get("session"), line),
            )
    return fleet


def _copy(shared: SharedConnection, file: Path, table: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        found = connection.execute(f"SELECT * FROM {table}")
        names = [name for name, *_ in found.description]
        shared.execute(f"DELETE FROM {table}")
        marks = ", ".join("?" * len(names))
        shared.executemany(f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})", found)
    if table == "events":
        shared.execute("SELECT setval('events_id_seq', (SELECT max(id) + 1 FROM events), false)")


def _lines(folder: Path) -> Iterator[str]:
    for file in recorded(folder):
        yield from file.read_text().splitlines()
