"""A fleet's database with what a folder has learned, and with as many events as are asked for."""

import json
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from outcome_monitors.state.address import StateAddress
from outcome_monitors_server.storage.documents import NAMES, put
from outcome_monitors_server.storage.postgres import Postgres

__all__ = ["fill_fleet", "move_small"]

WEEK = 7 * 86400.0
PATIENCE = 3600.0
EVERY = 50
"""One of so many results is flagged; of every other one the agent is told."""
_TABLES = ("trials", "progress", "shares", "clauses", "witnesses", "turns")
_FILL = """
INSERT INTO events (time, session, tool, outcome, advised, duration, why, violations, receipt)
SELECT ?::float8 + ?::float8 * n / ?::float8, 's' || n / 9, (?::text[])[1 + n % ?::int],
  CASE WHEN n % ?::int = 0 THEN 'flagged' ELSE 'clean' END, CASE WHEN n % ?::int = 0 THEN 1 ELSE 0 END, 0.0001, '',
  CASE WHEN n % ?::int = 0 THEN ? ELSE '[]' END, CASE WHEN n % ?::int = 0 THEN ? ELSE 'null' END
FROM generate_series(1, ?::int) n"""


def move_small(folder: Path, address: str) -> None:
    """Put the contracts, the tools and the stages of a folder into a fleet."""
    state = Postgres(StateAddress.read(address))
    with state.writing() as shared, closing(sqlite3.connect(folder / "stages.sqlite")) as stages:
        for name in NAMES:
            if (folder / name).exists():
                put(shared, name, (folder / name).read_text(encoding="utf-8"))
        for table in _TABLES:
            rows = stages.execute(f"SELECT * FROM {table}").fetchall()
            shared.execute(f"DELETE FROM {table}")
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                shared.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def fill_fleet(address: str, number: int, tools: list[str]) -> None:
    """Put so many events of a week into a fleet, in the place of its own."""
    violation = {
        "code": "nonpositive_value",
        "path": "total",
        "expected": "> 0",
        "observed": -1.0,
        "detail": "the total is not positive",
        "clause": "shop.total/positive#2be349",
        "id": "2be349aa",
    }
    receipt = {"status": "inconsistent", "note": "This result is inconsistent (total: expected > 0)."}
    texts = (EVERY, json.dumps([violation]), EVERY, json.dumps(receipt))
    begin = time.time() - WEEK
    state = Postgres(StateAddress.read(address))
    with state.writing(PATIENCE) as shared:
        shared.execute("TRUNCATE events RESTART IDENTITY")
        values = (begin, WEEK, number, tools, len(tools), EVERY, 2 * EVERY, *texts, number)
        shared.execute(_FILL, values)
    with closing(state.connect()) as connection:
        # As the server does by itself after a while.
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE events")
