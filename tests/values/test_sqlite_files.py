"""Looking into SQLite files that others write."""

import sqlite3

import pytest

from outcome_monitors.values.sqlite_files import looking_into


def test_a_file_that_is_no_database_is_let_go(tmp_path, monkeypatch):
    file, opened, connect = tmp_path / "torn.sqlite", [], sqlite3.connect
    file.write_bytes(b"torn " * 200)

    def noted(*arguments, **more):
        opened.append(connect(*arguments, **more))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", noted)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"), looking_into(file):
        pass
    assert opened
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
