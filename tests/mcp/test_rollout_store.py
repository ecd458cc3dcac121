"""The rollout's store: from another release, torn, and written by several at once; whatever it is like, the proxy goes on."""

import json
import os
import shutil
import sqlite3
import threading
from collections import Counter
from contextlib import ExitStack, closing

import pytest

from outcome_monitors.events import read_events
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.learning.progress import RolloutProgress
from outcome_monitors.learning.rollout import (
    ADVISING,
    SHADOW,
    ClauseRollout,
    ClauseRow,
    MinedTool,
    ResultCounts,
    Thresholds,
    ToolRollout,
    Transition,
)
from outcome_monitors.learning.rollout_store import RolloutStore, read_rollout
from outcome_monitors.mcp.settings import ProxySettings
from outcome_monitors.storage.address import StateAddress
from outcome_monitors_server.storage.counts import SharedTables
from outcome_monitors_server.storage.postgres import Postgres, SharedConnection
from tests.events.shop import contracts, order
from tests.mcp.live_shop import NEVER, Shop, told
from tests.mcp.wire import BAD, GOOD, TOOLS, Session, answer, call, line, lists

RARELY = Thresholds(tasks=20, results=20, early=20, calls=NEVER, disputed=NEVER)
POSIX = pytest.mark.skipif(os.name != "posix", reason="directories as POSIX has them")


def shop_of(folder):
    return Shop(folder, thresholds=RARELY, by_hand=True)


@pytest.fixture
def learned(tmp_path):
    """A folder in which a tool is in shadow, with one result checked."""
    for results in (map(order, range(60)), [order(1)]):
        shop = shop_of(tmp_path)
        for number, value in enumerate(results):
            shop.talk(value, name=f"s{number}")
        shop.close()
        mine_folder(tmp_path)
    return tmp_path


def test_a_store_of_a_later_release_is_left_alone(learned, caplog):
    state = learned / "stages.sqlite"
    with closing(sqlite3.connect(state)) as later, later:
        later.execute("PRAGMA user_version = 99")
    before = state.read_bytes()
    shop = shop_of(learned)
    shop.lists_tools()
    assert told(shop.talk(order(1), {"id": "W1"})) == [0, 1], "schemas hold all the same"
    shop.close()
    assert "is of version 99, and this release knows 2" in caplog.text
    assert state.read_bytes() == before
    with pytest.raises(OutcomeMonitorsError):
        RolloutStore(state).read()


# In a file and in PostgreSQL


@pytest.fixture(params=["file", "fleet"])
def opened(request, tmp_path):
    """Opens the rollout of a file, or of a fleet; each time as another process would."""
    if request.param == "file":
        yield lambda: RolloutStore(tmp_path / "stages.sqlite")
        return
    state = Postgres(StateAddress.read(request.getfixturevalue("fleet")))
    with state.writing(), ExitStack() as stack:
        yield lambda: _shared(state, tmp_path, stack)


def _shared(state, folder, stack):
    connection = stack.enter_context(closing(state.connect()))
    connection.autocommit = True
    tables = SharedTables(folder / "stages.sqlite")
    stack.enter_context(tables.on(SharedConnection(connection)))
    return RolloutStore(tables)


def seen(client="c", hour=1, results=1, **more):
    return {"t": ResultCounts(Counter({(client, hour): results}), **more)}


def test_counts_of_several_writers_at_once_add_up(opened):
    opened().apply({"t": Transition(ToolRollout(SHADOW, "k"), [ClauseRow("a", "type", 0, "[]")])})

    def count():
        stages = opened()
        for number in range(20):
            stages.add(seen(f"c{number % 3}", flagged=Counter("a")))
            stages.recorded(1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    now = opened().snapshot("t")
    assert now.rollout is not None
    assert (now.rollout.checked, now.clauses["a"].flagged) == (80, 80)
    assert sum(one.results for one in now.evidence) == 80
    assert not opened().due(Thresholds(calls=81))
    assert opened().due(Thresholds(calls=80))


def test_a_doubted_clause_is_validated_again(opened):
    stages = opened()
    rows = [ClauseRow("a", "type", 0, "[1]")]
    stages.apply({"t": Transition(ToolRollout(ADVISING, "k"), rows, [("a", 0)])})
    stages.add(seen(results=9))
    assert stages.in_force() == {("t", "a"): "[1]"}
    stages.apply({"t": Transition(doubt=["a"])})
    assert stages.in_force() == {}
    assert stages.snapshot("t").clauses == {"a": ClauseRollout("type", 9)}


def test_flagged_results_bring_the_next_mining_forward(opened, tmp_path):
    progress = RolloutProgress(opened(), tmp_path, Thresholds(calls=10, disputed=5))
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


# Whatever lies in a state folder, the proxy starts, passes on what the server says, and begins anew what is torn

FILES = ("stages.sqlite", "tools.json", "contracts.json", "changes.sqlite", "events.sqlite")
CONTENTS = {
    "empty": b"",
    "no UTF-8": b'{"tools": [{"name": "\xff"}]}',
    "deep": b"[" * 100_000,
    "surrogate": b'{"tools": [{"name": "\\ud800"}], "contracts": {"\\ud800": 4}}',
    "half": None,
}
STATEMENTS = [
    ("stages.sqlite", "DROP TABLE turns"),
    ("stages.sqlite", "UPDATE trials SET stage = CAST(x'ff' AS TEXT)"),
    ("changes.sqlite", "DROP TABLE ways"),
    ("events.sqlite", "ALTER TABLE events DROP COLUMN why"),
]


@pytest.fixture(scope="module")
def grown(tmp_path_factory):
    """A folder in which a proxy has learned."""
    folder = tmp_path_factory.mktemp("whole") / "state"
    used(folder)
    found = contracts()
    found.save(folder / "contracts.json")
    for tool, contract in found.contracts.items():
        mined = MinedTool(contract)
        begin = [mined.begins(name, 0) for name in mined.clauses]
        change = Transition(ToolRollout(ADVISING, mined.key), begin, [(name, 0) for name in mined.clauses])
        RolloutStore(folder / "stages.sqlite").apply({tool: change})
    used(folder)
    assert {path.name for path in folder.iterdir()} >= set(FILES)
    return folder


@pytest.fixture
def whole(grown, tmp_path):
    return shutil.copytree(grown, tmp_path / "state")


def used(folder) -> list[bytes]:
    with ProxySettings(learn=str(folder), timeout=0.0).context() as context:
        talk = Session(context, "x")
        talk.ask(lists(1), call(2), call(3))
        heard = [
            talk.hear(answer(1, {"tools": TOOLS})),
            talk.hear(answer(2, GOOD)),
            talk.hear(answer(3, BAD)),
        ]
        assert context.troubles == 0
    return heard


def goes_on(folder) -> None:
    for _ in range(2):
        heard = used(folder)
        assert heard[1] == line(answer(2, GOOD))
        assert json.loads(heard[2])["result"]["structuredContent"]["total"] == -1.0
    assert len(list(read_events(folder / "events.sqlite"))) >= 2
    assert json.loads((folder / "tools.json").read_text())["tools"][-1] == TOOLS[0]
    known = read_rollout(folder / "stages.sqlite")
    assert known.recorded > known.mined


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("name", FILES)
def test_a_file_with_other_bytes_in_it_is_begun_anew(whole, name, content):
    data = (whole / name).read_bytes()
    (whole / name).write_bytes(data[: len(data) // 2] if content == "half" else CONTENTS[content])
    goes_on(whole)


@pytest.mark.parametrize(("name", "statement"), STATEMENTS)
def test_a_database_with_something_else_in_it_is_begun_anew_and_kept_beside(whole, name, statement):
    with closing(sqlite3.connect(whole / name)) as file, file:
        file.execute(statement)
    goes_on(whole)
    assert (whole / f"{name}.torn").exists()
