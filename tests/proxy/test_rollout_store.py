"""The state that proxies share: from an older release, torn, of a later release, locked, and written by several at once."""

import os
import sqlite3
import threading
from collections import Counter
from contextlib import ExitStack, closing

import pytest

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.learning.progress import RolloutProgress
from outcome_monitors.learning.rollout import (
    ADVISING,
    SHADOW,
    ClauseRollout,
    ClauseRow,
    ClientHour,
    ResultCounts,
    Thresholds,
    ToolRollout,
    Transition,
)
from outcome_monitors.learning.rollout_store import RolloutStore, read_rollout
from outcome_monitors.state.address import StateAddress
from outcome_monitors_server.storage.postgres import Postgres, SharedConnection
from outcome_monitors_server.storage.stages import SharedStages
from tests.events.shop import order
from tests.proxy.live_shop import NEVER, Clock, Shop, told

RARELY = Thresholds(tasks=20, results=20, early=20, calls=NEVER, disputed=NEVER)


def shop_of(folder, clock=None):
    return Shop(folder, thresholds=RARELY, clock=clock or Clock(), by_hand=True)


def learned(folder):
    shop = shop_of(folder)
    for number in range(60):
        shop.talk(order(number), name=f"s{number}")
    shop.close()
    mine_folder(folder)


def seen(tool="t", client="c", hour=1, results=1):
    return {tool: ResultCounts(Counter({(client, hour): results}))}


def test_a_state_that_is_torn_while_it_is_used(tmp_path, caplog):
    learned(tmp_path)
    shop = shop_of(tmp_path)
    shop.talk(order(1))
    for name in ("stages.sqlite", "stages.sqlite-wal"):
        (tmp_path / name).write_bytes(b"torn" * 3000)
    assert told(shop.talk(order(2))) == [0]
    shop.close()
    assert "is torn" in caplog.text
    again = shop_of(tmp_path)
    again.talk(order(3))
    again.close()
    assert again.learner.stages() == {"get_order": SHADOW}


def test_a_state_of_a_later_release_is_left_alone(tmp_path, caplog):
    learned(tmp_path)
    state = tmp_path / "stages.sqlite"
    with sqlite3.connect(state) as later:
        later.execute("PRAGMA user_version = 99")
    later.close()
    before = state.read_bytes()
    shop = shop_of(tmp_path)
    shop.lists_tools()
    assert told(shop.talk(order(1), {"id": "W1"})) == [0, 1], "schemas hold all the same"
    shop.close()
    assert "is of version 99, and this release knows 2" in caplog.text
    assert state.read_bytes() == before
    with pytest.raises(OutcomeMonitorsError):
        RolloutStore(state).read()


def test_a_state_that_is_locked_loses_no_result_and_no_count(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr("outcome_monitors.learning.rollout_store.BUSY", 0.01)
    learned(tmp_path)
    first = shop_of(tmp_path)
    first.talk(order(1))
    first.close()
    state = tmp_path / "stages.sqlite"
    recorded, checked = read_rollout(state).recorded, RolloutStore(state).read()["get_order"].checked
    shop = shop_of(tmp_path)
    with sqlite3.connect(state, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        assert told(shop.talk(*map(order, range(5)))) == [0] * 5
        shop.learner.written(5)
    other.close()
    assert "nothing can be learned" in caplog.text
    assert "database is locked" in caplog.text
    shop.talk(order(6))
    shop.learner.written(1)
    assert read_rollout(state).recorded == recorded + 6
    assert RolloutStore(state).read()["get_order"].checked == checked + 6
    shop.recorder.close()


@pytest.mark.skipif(
    os.name != "posix", reason="directories cannot stand for files that cannot be written elsewhere"
)
def test_a_state_that_cannot_be_opened_stops_learning_alone(tmp_path, caplog):
    learned(tmp_path)
    for file in tmp_path.glob("stages.sqlite*"):
        file.unlink()
    (tmp_path / "stages.sqlite").mkdir()
    shop = shop_of(tmp_path)
    shop.lists_tools()
    assert told(shop.talk(order(1), {"id": "W1"})) == [0, 1]
    shop.close()
    assert "nothing can be learned" in caplog.text
    assert "unable to open database file" in caplog.text


def test_a_full_disk_stops_learning_alone(tmp_path, caplog, monkeypatch):
    learned(tmp_path)
    first = shop_of(tmp_path)
    first.talk(order(1))
    first.close()
    whole = RolloutStore._open

    def full(self):
        connection = whole(self)
        # A database that may not grow, and has no page to spare, says what one on a full disk does.
        [pages] = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    shop = shop_of(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(RolloutStore, "_open", full)
        for number in range(400):
            assert told(shop.talk(order(number % 60), client="x" * 60 + str(number))) == [0]
        shop.learner.written(400)
    assert "database or disk is full" in caplog.text
    shop.learner.written(0)
    assert RolloutStore(tmp_path / "stages.sqlite").read()["get_order"].checked >= 400, (
        "when there is room again"
    )
    shop.recorder.close()


@pytest.fixture(params=["file", "fleet"])
def opened(request, tmp_path):
    """Opens the trials of a file, or of a fleet; each time as another process would."""
    if request.param == "file":
        yield lambda: RolloutStore(tmp_path / "stages.sqlite")
        return
    state = Postgres(StateAddress.read(request.getfixturevalue("fleet")))
    with state.writing(), ExitStack() as stack:
        yield lambda: _shared(state, tmp_path, stack)


def _shared(state, folder, stack):
    connection = stack.enter_context(closing(state.connect()))
    connection.autocommit = True
    stages = SharedStages(folder / "stages.sqlite")
    stack.enter_context(stages.on(SharedConnection(connection)))
    return stages


def test_several_write_at_once_and_every_count_is_there(opened):
    opened().apply({"t": Transition(ToolRollout(SHADOW, "k"), [ClauseRow("a", "type", 0, "[]")])})

    def count():
        stages = opened()
        for number in range(20):
            batch = seen(client=f"c{number % 3}")
            batch["t"].flagged["a"] = 1
            stages.add(batch)
            stages.recorded(1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    now = opened().snapshot("t")
    assert now.rollout is not None
    assert now.rollout.checked == 80
    assert now.clauses["a"].flagged == 80
    assert sum(witness.results for witness in now.evidence) == 80
    assert not opened().due(Thresholds(calls=81))
    assert opened().due(Thresholds(calls=80))


def test_witnesses_are_those_since_a_trial_began_and_no_more_than_some(opened, monkeypatch):
    monkeypatch.setattr("outcome_monitors.learning.rollout_store.MOST_EVIDENCE", 50)
    stages = opened()
    stages.apply({"t": Transition(ToolRollout(SHADOW, "k"))})
    stages.add(seen(client="early", results=5))
    stages.add(seen(client="late", hour=7, results=2))
    assert stages.snapshot("t").since(5) == [ClientHour("late", 7, 2)]
    for number in range(70):
        stages.add(seen(client=f"c{number}"))
    assert 50 <= len(stages.snapshot("t").evidence) <= 52


def test_a_clause_that_is_doubted_is_on_trial_again(opened):
    stages = opened()
    stages.apply(
        {"t": Transition(ToolRollout(ADVISING, "k"), [ClauseRow("a", "type", 0, "[1]")], [("a", 0)])}
    )
    stages.add(seen(results=9))
    assert stages.in_force() == {("t", "a"): "[1]"}
    stages.apply({"t": Transition(doubt=["a"])})
    assert stages.in_force() == {}
    assert stages.snapshot("t").clauses == {"a": ClauseRollout("type", 9)}


def test_flagged_results_bring_the_next_mining_forward(opened, tmp_path):
    stages, thresholds = opened(), Thresholds(calls=10, disputed=5)
    progress = RolloutProgress(stages, tmp_path, thresholds)
    progress.recorded(10)
    progress.update({})
    assert progress.due()
    for _ in range(5):
        assert not progress.due()
        progress.count("t", "c", 1, {"a"}, ())
        progress.count("t", "c", 1, (), ())
        progress.save()
    assert progress.due()
    assert not progress.due()


def test_clauses_of_a_retired_kind_are_passed_over_and_the_others_hold(tmp_path):
    store = RolloutStore(tmp_path / "stages.sqlite")
    texts = {kind: f'["{kind}", "id", {{}}]' for kind in ("edges", "positive")}
    rows = [ClauseRow(f"c {kind}", kind, 0, text) for kind, text in texts.items()]
    store.apply({"t": Transition(ToolRollout(ADVISING, "k"), rows, [(row.clause, 0) for row in rows])})
    assert store.in_force() == {("t", "c positive"): texts["positive"]}
    assert [*store.snapshot("t").clauses] == [*store.texts("t")] == ["c positive"]
