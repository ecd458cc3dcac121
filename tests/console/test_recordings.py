"""What was recorded, read from its end."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.storage import folder as state_folder
from outcome_monitors_server.console.alarms import call_behind, last_calls
from outcome_monitors_server.console.history import fields_in
from outcome_monitors_server.storage import postgres
from tests.homes import Home

Opened = Callable[[Path], StateFolder]


@pytest.fixture
def opened(home: Home) -> Iterator[Opened]:
    """Opens what a folder has, in either home."""
    with ExitStack() as open_ones:
        yield lambda folder: open_ones.enter_context(closing(StateFolder.at(home(folder))))


def recorded(folder: Path, name: str, *calls: dict[str, object], end: str = "\n") -> None:
    (folder / "traces").mkdir(exist_ok=True)
    text = "\n".join(map(json.dumps, calls))
    (folder / "traces" / name).write_text(text + end)


def call(number: int, **more: object) -> dict[str, object]:
    when = f"2026-03-01T10:00:{number:02}Z"
    return {
        "tool": "get",
        "arguments": {"n": number},
        "result": {"n": number},
        "session": "s",
        "time": when,
        **more,
    }


def event(number: int, *clauses: str) -> dict[str, object]:
    return {"tool": "get", "session": "s", "time": f"2026-03-01T10:00:{number:02}Z", "clauses": list(clauses)}


@pytest.mark.parametrize("block", [7, 100, 2**20])
def test_the_last_calls_come_in_order_however_the_file_is_read(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(state_folder, "BLOCK", block)
    monkeypatch.setattr(postgres, "RECENT", min(block, 100))
    recorded(tmp_path, "2026-03-01-0000.jsonl", *map(call, range(10)))
    recorded(
        tmp_path,
        "2026-03-02-0000.jsonl",
        *map(call, range(10, 20)),
        call(20, tool="set"),
        call(21, error=True),
    )
    found = last_calls(opened(tmp_path), "get", 15)
    assert [one["result"]["n"] for one in found] == list(range(5, 20))


def test_the_call_behind_an_alarm_is_the_one_that_broke_the_same(opened: Opened, tmp_path: Path) -> None:
    recorded(
        tmp_path,
        "2026-03-01-0000.jsonl",
        call(1, findings=[["get.n/range#1234", "high"]]),
        call(2),
        call(3, findings=[["get.n/type#5678", ""]]),
    )
    state = opened(tmp_path)
    assert call_behind(state, event(2, "get.n/range#1234"))["result"] == {"n": 1}
    assert call_behind(state, event(2))["result"] == {"n": 2}
    assert call_behind(state, event(30, "get.n/range#1234")) == {}
    assert call_behind(state, {**event(2), "arguments": {}, "result": 5}) == {
        "arguments": {},
        "result": 5,
    }


def test_fields_have_their_values_and_how_often_they_are_there() -> None:
    found = fields_in(
        [{"n": 1, "rows": [{"s": "a"}, {"s": "b"}]}, {"n": 3}, "not an object", {"n": float("nan")}]
    )
    assert found["n"].results == 3
    assert found["n"].words().startswith("1 to 3, last 3")
    assert found["rows[].s"].words() == "a (1); b (1)"
