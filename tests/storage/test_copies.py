"""A host's copy of what is small: as a folder of its own, made where the database has something else, and never by halves."""

import sqlite3
from contextlib import closing

import pytest

from outcome_monitors.learning.rollout_store import RolloutStore, read_rollout
from outcome_monitors.storage.address import StateAddress
from outcome_monitors.storage.layout import CHANGES, OVERRIDES, STAGES, is_learning_folder
from outcome_monitors_server.storage.documents import put
from outcome_monitors_server.storage.postgres import Postgres
from outcome_monitors_server.storage.replica import copied_at, refresh


@pytest.fixture
def state(fleet) -> Postgres:
    made = Postgres(StateAddress.read(fleet))
    with made.writing() as shared:
        shared.execute(
            "INSERT INTO trials VALUES ('pay', 'shadow', 'c', 7, 1), ('say', 'advising', 'c', 9, 0)"
        )
        shared.execute("INSERT INTO shares VALUES ('pay', 5.5, 0.5)")
        shared.execute("INSERT INTO clauses VALUES ('pay', 'x', 'range', 1, 2, '{}', NULL, 0.25)")
        shared.execute("INSERT INTO witnesses VALUES ('pay', 'a', 3, 4, 7), ('say', 'a', 3, 4, 7)")
        shared.execute("UPDATE progress SET recorded = 16, mined = 8")
        shared.execute("INSERT INTO ways VALUES ('[]', 1, '', '', '', 0, '[]', '[]', 1, 2, 0, 0, 0, 0, 0)")
        put(shared, OVERRIDES, "{}")
    return made


def test_a_copy_reads_as_a_folder_of_ones_own(state):
    folder = state.address.cache
    assert copied_at(folder) is None
    refresh(state, folder)
    assert is_learning_folder(folder)
    stages = read_rollout(folder / STAGES)
    assert (stages.recorded, stages.mined) == (16, 8)
    pay = stages.tools["pay"]
    assert pay.rollout is not None
    assert (pay.rollout.checked, pay.rollout.recent) == (7, 5.5)
    assert pay.clauses["x"].noise == 0.25
    assert [*pay.evidence.values()] == [7]
    assert RolloutStore(folder / STAGES).texts("pay") == {"x": "{}"}
    assert (folder / OVERRIDES).read_text() == "{}"
    with closing(sqlite3.connect(folder / CHANGES)) as changes:
        assert changes.execute("SELECT broken, kept FROM ways").fetchall() == [(1, 2)]
    assert copied_at(folder) is not None


def test_a_torn_copy_is_made_again(state):
    folder = state.address.cache
    refresh(state, folder)
    (folder / STAGES).write_bytes(b"torn")
    refresh(state, folder)
    assert read_rollout(folder / STAGES).recorded == 16
