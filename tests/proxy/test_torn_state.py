"""Whatever lies in a state folder, the proxy starts, passes on what the server says, and begins anew what is torn."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from outcome_monitors.events import read_events
from outcome_monitors.learning.rollout import MinedTool, ToolRollout, Transition
from outcome_monitors.learning.rollout_store import RolloutStore, read_rollout
from outcome_monitors.proxy import JsonRpcSession
from outcome_monitors.proxy.settings import ProxySettings
from tests.events.shop import contracts
from tests.proxy.wire import BAD, GOOD, TOOLS, answer, call, line, lists

FILES = ("stages.sqlite", "tools.json", "contracts.json", "changes.sqlite", "events.sqlite")
CONTENTS = {
    "empty": b"",
    "text": b"hello",
    "no UTF-8": b'{"tools": [{"name": "\xff"}]}',
    "deep": b"[" * 100_000,
    "digits": b'{"tools": ' + b"9" * 5000 + b"}",
    "names": b'{"tools": [{"name": {}}, 3]}',
    "surrogate": b'{"tools": [{"name": "\\ud800"}], "contracts": {"\\ud800": 4}}',
}
STATEMENTS = [
    ("stages.sqlite", "DELETE FROM progress"),
    ("stages.sqlite", "DROP TABLE turns"),
    ("stages.sqlite", "UPDATE trials SET stage = CAST(x'ff' AS TEXT)"),
    ("changes.sqlite", "DROP TABLE ways"),
    ("events.sqlite", "DROP TABLE events"),
    ("events.sqlite", "ALTER TABLE events DROP COLUMN why"),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder in which a proxy has learned."""
    folder = tmp_path_factory.mktemp("whole") / "state"
    used(folder)
    found = contracts()
    found.save(folder / "contracts.json")
    mined = {tool: MinedTool(contract) for tool, contract in found.contracts.items()}
    RolloutStore(folder / "stages.sqlite").apply(
        {
            tool: Transition(
                ToolRollout("advising", one.key),
                [one.begins(name, 0) for name in one.clauses],
                [(name, 0) for name in one.clauses],
            )
            for tool, one in mined.items()
        }
    )
    used(folder)
    assert {path.name for path in folder.iterdir()} >= set(FILES)
    return folder


def used(folder) -> list[bytes]:
    with ProxySettings(learn=str(folder), budget=0.0).context() as desk:
        dialogue = JsonRpcSession(desk, "x")
        said = [line(answer(1, {"tools": TOOLS})), line(answer(2, GOOD)), line(answer(3, BAD))]
        for message in (lists(1), call(2), call(3)):
            dialogue.asked(line(message))
        heard = [dialogue.answered(data) for data in said]
        assert desk.troubles == 0
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
def test_a_file_that_is_none_is_begun_anew(whole, tmp_path, name, content):
    folder = shutil.copytree(whole, tmp_path / "state")
    (folder / name).write_bytes(CONTENTS[content])
    goes_on(folder)


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_short_is_begun_anew(whole, tmp_path, name):
    folder = shutil.copytree(whole, tmp_path / "state")
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: len(data) // 2])
    goes_on(folder)


@pytest.mark.parametrize(("name", "statement"), STATEMENTS)
def test_a_file_with_something_else_in_it_is_begun_anew_and_kept_beside(whole, tmp_path, name, statement):
    folder = shutil.copytree(whole, tmp_path / "state")
    with closing(sqlite3.connect(folder / name)) as file, file:
        file.execute(statement)
    goes_on(folder)
    assert (folder / f"{name}.torn").exists()


def test_a_schema_that_is_no_text_is_torn_too(whole, tmp_path):
    """SQLite then complains in bytes that are no text, and Python about them."""
    folder = shutil.copytree(whole, tmp_path / "state")
    with closing(sqlite3.connect(folder / "stages.sqlite")) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = (folder / "stages.sqlite").read_bytes()
    (folder / "stages.sqlite").write_bytes(data.replace(b"CREATE TABLE trials", b"CREATE \xb3ABLE trials"))
    goes_on(folder)


def test_a_row_that_cannot_be_read_costs_that_row(whole, tmp_path, caplog):
    folder = shutil.copytree(whole, tmp_path / "state")
    row = "'[[', 1, 'p', 'k', 'f', 0.1, '[]', '[]', 1, 1, 0, 0.1, 0.1, 0.1, 0"
    with closing(sqlite3.connect(folder / "changes.sqlite")) as file, file:
        file.execute(f"INSERT INTO ways VALUES ({row})")
        before = file.execute("SELECT count(*) FROM ways").fetchone()[0]
    goes_on(folder)
    assert "is left out" in caplog.text
    with closing(sqlite3.connect(folder / "changes.sqlite")) as file:
        assert file.execute("SELECT count(*) FROM ways").fetchone()[0] >= before


def test_a_file_in_the_place_of_the_traces_is_put_aside(whole, tmp_path):
    folder = shutil.copytree(whole, tmp_path / "state")
    shutil.rmtree(folder / "traces")
    (folder / "traces").write_bytes(b"no folder")
    goes_on(folder)
    assert (folder / "traces.torn").read_bytes() == b"no folder"
