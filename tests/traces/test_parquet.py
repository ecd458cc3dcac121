"""The rows of Parquet files are trace lines, and give the contracts that the same lines in a file give."""

import json
import sys
from pathlib import Path

import pytest

from outcome_monitors import mine, read_traces
from outcome_monitors.exceptions import MissingExtra, TraceError
from outcome_monitors_study.world import nominal_traces

CALLS = list(nominal_traces(6))
COLUMNS = ("tool", "arguments", "result", "task", "session", "time")


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    folder = tmp_path / "store"
    (folder / "day=1").mkdir(parents=True)
    rows = [
        (
            call.tool,
            json.dumps(call.arguments),
            json.dumps(call.result),
            call.task,
            call.session,
            call.extra["time"],
        )
        for call in CALLS
    ]
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE calls ({', '.join(f'{name} VARCHAR' for name in COLUMNS)})")
        connection.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?)", rows)
        half = len(rows) // 2
        connection.execute(f"COPY (SELECT * FROM calls LIMIT {half}) TO '{folder}/day=1/a.parquet'")
        connection.execute(f"COPY (SELECT * FROM calls OFFSET {half}) TO '{folder}/day=1/b.parquet'")
        structures = (
            "SELECT 'a' AS tool, {'n': 1, 'at': DATE '2026-11-15', 'x': [1.5::DECIMAL(4,2)]} AS result"
        )
        connection.execute(f"COPY ({structures}) TO '{tmp_path}/structures.parquet'")
    return folder


def test_the_calls_and_their_contracts_are_those_of_the_lines(parquet):
    for paths in ([parquet], [parquet / "day=1" / "a.parquet", parquet / "day=1" / "b.parquet"]):
        read = list(read_traces(paths))
        assert [(c.tool, c.arguments, c.result, c.task) for c in read] == [
            (c.tool, c.arguments, c.result, c.task) for c in CALLS
        ]
    assert mine(read).dumps() == mine(CALLS).dumps()


def test_structures_are_objects(parquet):
    [call] = read_traces([parquet.parent / "structures.parquet"])
    assert call.result == {"n": 1, "at": "2026-11-15", "x": [1.5]}


def test_a_file_that_is_no_parquet_is_one_sentence(tmp_path):
    pytest.importorskip("duckdb")
    (tmp_path / "bad.parquet").write_text("no")
    with pytest.raises(TraceError, match=r"cannot read .*bad\.parquet: "):
        list(read_traces([tmp_path / "bad.parquet"]))


def test_a_missing_extra_names_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    (tmp_path / "a.parquet").touch()
    with pytest.raises(MissingExtra, match=r"pip install 'outcome-monitors\[parquet\]'"):
        list(read_traces([tmp_path / "a.parquet"]))
