"""The rows of a store are trace lines, and give the contracts that the same lines in a file give."""

import json
import sqlite3
import sys
from pathlib import Path

import pytest

from outcome_monitors import read_traces
from outcome_monitors.exceptions import MissingExtra, TraceError
from outcome_monitors.traces.reader import write_traces
from outcome_monitors.traces.stores import Query
from outcome_monitors_study.world import nominal_traces
from tests.commandline import Run, Sentence

CALLS = list(nominal_traces(6))
COLUMNS = ("tool", "arguments", "result", "task", "session", "time")
ROWS = [
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
SELECT = f"SELECT {', '.join(COLUMNS)} FROM calls ORDER BY number"


def lines(*paths: object) -> list[tuple[object, ...]]:
    calls = read_traces(paths)  # type: ignore[arg-type]
    return [(call.tool, call.arguments, call.result, call.task, call.session) for call in calls]


EXPECTED = [(call.tool, call.arguments, call.result, call.task, call.session) for call in CALLS]


@pytest.fixture(scope="module")
def postgres(postgres_server) -> str:
    """A table of calls in a real PostgreSQL."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(postgres_server) as connection:
        connection.execute("DROP TABLE IF EXISTS calls")
        connection.execute(
            "CREATE TABLE calls (number serial, tool text, arguments jsonb, result json, task text, session text,"
            " time timestamptz)"
        )
        connection.cursor().executemany(
            f"INSERT INTO calls ({', '.join(COLUMNS)}) VALUES (%s, %s, %s, %s, %s, %s)", ROWS
        )
    return str(postgres_server)


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    path = tmp_path / "calls.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(f"CREATE TABLE calls (number INTEGER PRIMARY KEY, {', '.join(COLUMNS)})")
        connection.executemany(f"INSERT INTO calls ({', '.join(COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?)", ROWS)
    connection.close()
    return f"sqlite:///{path}"


@pytest.fixture
def parquet(tmp_path: Path) -> Path:
    duckdb = pytest.importorskip("duckdb")
    folder = tmp_path / "store"
    (folder / "day=1").mkdir(parents=True)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE calls ({', '.join(f'{name} VARCHAR' for name in COLUMNS)})")
        connection.executemany("INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?)", ROWS)
        half = len(ROWS) // 2
        connection.execute(f"COPY (SELECT * FROM calls LIMIT {half}) TO '{folder}/day=1/a.parquet'")
        connection.execute(f"COPY (SELECT * FROM calls OFFSET {half}) TO '{folder}/day=1/b.parquet'")
    return folder


def test_postgresql_gives_the_same_calls(postgres):
    assert lines(Query(postgres, SELECT)) == EXPECTED


def test_postgresql_rows_are_streamed(postgres):
    endless = "SELECT 'a' AS tool, repeat('x', 1000) AS result, generate_series(1, 2000000000) AS step"
    rows = read_traces([Query(postgres, endless)])
    assert [next(rows).tool for _ in range(2500)] == ["a"] * 2500
    rows.close()  # type: ignore[attr-defined]


def test_postgresql_is_only_read(postgres):
    with pytest.raises(TraceError, match=r"the query on postgresql:///postgres failed: "):
        list(read_traces([Query(postgres, "DELETE FROM calls RETURNING tool, result")]))
    assert len(lines(Query(postgres, SELECT))) == len(CALLS)


def test_parquet_gives_the_same_calls(parquet):
    assert lines(parquet) == EXPECTED
    assert lines(parquet / "day=1" / "a.parquet", parquet / "day=1" / "b.parquet") == EXPECTED


def test_duckdb_structures_are_objects():
    pytest.importorskip("duckdb")
    sql = "SELECT 'a' AS tool, {'n': 1, 'at': DATE '2026-11-15', 'x': [1.5::DECIMAL(4,2)]} AS result"
    [call] = read_traces([Query("duckdb:", sql)])
    assert call.result == {"n": 1, "at": "2026-11-15", "x": [1.5]}


def test_mining_a_store_gives_the_contracts_of_the_file(run: Run, sqlite, tmp_path):
    write_traces(tmp_path / "calls.jsonl", CALLS)
    assert run("mine", "calls.jsonl", "-o", "a.json").exit_code == 0
    done = run("mine", "--sql", SELECT, "--dsn", sqlite, "-o", "b.json")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert run("check", "--sql", SELECT, "--dsn", sqlite, "--contracts", "a.json").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--sql", "SELECT 1"), "--sql and --dsn belong together"),
        (("--sql", "SELECT 1", "--dsn", "mysql://x"), "--dsn has to begin with one of postgresql:"),
        (("--sql", "SELECT 1", "--dsn", "sqlite:///no.db"), "cannot read no.db: there is no such file"),
    ],
)
def test_what_is_wrong_is_one_sentence(run: Run, one_sentence: Sentence, arguments, said):
    assert said in one_sentence(run("mine", *arguments, "-o", "c.json"))


def test_a_failing_query_is_one_sentence_without_the_password(run: Run, one_sentence: Sentence):
    pytest.importorskip("psycopg")
    said = one_sentence(
        run("mine", "--sql", "SELECT 1", "--dsn", "postgresql://me:s3cret@127.0.0.1:1/db", "-o", "c.json")
    )
    assert said.startswith("the query on postgresql://127.0.0.1:1/db failed: ")
    assert "s3cret" not in said


@pytest.mark.parametrize(
    ("dsn", "module", "extra"),
    [
        ("postgresql://x", "psycopg", "postgres"),
        ("duckdb:", "duckdb", "sql"),
    ],
)
def test_a_missing_extra_names_what_to_install(monkeypatch, dsn, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"pip install 'outcome-monitors\[{extra}\]'"):
        list(read_traces([Query(dsn, "SELECT 1")]))
