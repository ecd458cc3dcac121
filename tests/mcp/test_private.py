"""What is private is kept nowhere: not in traces, not in events, not in contracts."""

import json
from pathlib import Path
from typing import Any

import pytest

from outcome_monitors import Registry
from outcome_monitors.adapters import LearnIn
from outcome_monitors.events import Watch
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.learning.recorder import Recorder, ToolResult
from outcome_monitors.learning.storage import LearningFolder, private_in
from outcome_monitors.traces.private import redacted
from tests.events.shop import contracts, order

SECRET = "ann@example.org"


def test_recorded_calls_hold_values_of_the_same_kind_in_its_place(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "t.jsonl", private=["who.email", "rows[].card", "@password"])
    value: dict[str, Any] = {
        "who": {"email": SECRET, "age": 4},
        "rows": [{"card": 4111, "n": 1}, {"card": None, "n": 2}],
    }
    recorder.conversation("s").record("t", {"password": SECRET, "id": 1}, ToolResult(value), None)
    recorder.close()
    text = (tmp_path / "t.jsonl").read_text()
    line = json.loads(text)
    assert SECRET not in text
    assert line["arguments"] == {"password": "[private]", "id": 1}
    assert line["result"] == {
        "who": {"email": "[private]", "age": 4},
        "rows": [{"card": 0, "n": 1}, {"card": None, "n": 2}],
    }
    assert value["who"]["email"] == SECRET


def test_contracts_say_nothing_of_it(tmp_path: Path) -> None:
    LearningFolder(tmp_path).open(("status",), Registry())
    LearningFolder(tmp_path).open(("total",), Registry())
    assert private_in(tmp_path) == ("status", "total")
    recorder = Recorder(tmp_path / "traces" / "a.jsonl", private=["status", "total"])
    for number in range(30):
        recorder.conversation(f"s{number}").record(
            "get_order", {"id": f"W{number}"}, ToolResult(order(number)), None
        )
    recorder.close()
    assert mine_folder(tmp_path)
    text = (tmp_path / "contracts.json").read_text()
    assert "[private]" not in text
    assert not any(word in text for word in ("paid", "sent", '"domain", "path": "status"', '"range"'))
    assert '"kind": "required", "path": "status"' in text


def test_a_note_of_what_is_private_that_cannot_be_read_stops_mining(tmp_path: Path) -> None:
    (tmp_path / "traces").mkdir()
    (tmp_path / "private.json").write_text('["who')
    with pytest.raises(OutcomeMonitorsError, match="nothing is mined without it"):
        mine_folder(tmp_path)


def test_events_redact_it(tmp_path: Path) -> None:
    contracts().save(tmp_path / "c.json")
    watch = Watch.open(tmp_path / "c.json", events=str(tmp_path / "e.jsonl"), private=["total", "@id"])
    watch.conversation().look("get_order", {"id": "W1"}, order(1, total=-77.125))
    watch.close()
    text = (tmp_path / "e.jsonl").read_text()
    assert "nonpositive_value" in text
    assert "77.125" not in text
    assert redacted(["total", "[].x", "", "@id"]) == ["result.total", "result[].x", "result", "arguments.id"]


def test_a_path_that_is_none_is_refused() -> None:
    with pytest.raises(OutcomeMonitorsError, match="cannot hide"):
        LearnIn("f", private=["a[0]"])
