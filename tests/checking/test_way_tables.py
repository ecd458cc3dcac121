"""The table of ways in memory."""

import gc
import sqlite3

import pytest

from outcome_monitors.checking.way_tables import WayMemory


def test_a_table_in_memory_is_closed_with_the_last_one_who_knows_of_it():
    table = WayMemory()
    rows = table._rows
    rows.execute("SELECT 1")
    del table
    gc.collect()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        rows.execute("SELECT 1")
