"""`events`: lists and counts, and never counts a flagged result with the clean ones."""

import json

from outcome_monitors.events import Event, JsonLines, Store, Watch
from tests.commandline import Run, Sentence
from tests.events.shop import monitor, order


def fill(sink) -> None:
    watch = Watch(monitor(), sink)
    one, two = watch.conversation("one"), watch.conversation("two")
    for number in range(5):
        one.look("get_order", {"id": f"W{number}"}, order(number))
    two.look("get_order", {"id": "W1"}, order(1, total=-1))
    two.look("find_order", {}, {})
    two.skip("get_order", "the content is not JSON")
    sink.put(Event(0.0, None, "old_tool", "clean"))
    sink.close()


def test_they_are_counted_by_tool_and_outcome(run: Run) -> None:
    fill(Store("e.sqlite"))
    result = run("events", "e.sqlite")
    assert result.exit_code == 1
    assert "get_order        5         1             0             1        0" in result.output
    assert "9 events: 6 clean, 1 flagged, 1 not covered, 1 not checked, 0 failed" in result.output
    assert "get_order             1   the content is not JSON" in result.output
    assert "why" not in run("events", "e.sqlite", "--tool", "find_order").output


def test_they_are_filtered(run: Run) -> None:
    fill(JsonLines("e.jsonl"))
    flagged = run("events", "e.jsonl", "--outcome", "flagged")
    assert flagged.exit_code == 1
    assert "nonpositive_value at total" in flagged.output
    assert "1 event: 0 clean, 1 flagged" in flagged.output
    one = run("events", "e.jsonl", "--session", "one", "--format", "jsonl")
    assert one.exit_code == 0
    assert [json.loads(line)["outcome"] for line in one.stdout.splitlines()] == ["clean"] * 5
    recent = run("events", "e.jsonl", "--since", "2000-01-01", "--tool", "old_tool")
    assert "0 events" in recent.output
    last = run("events", "e.jsonl", "--last", "2", "--format", "jsonl")
    assert [json.loads(line)["outcome"] for line in last.stdout.splitlines()] == ["not_checked", "clean"]


def test_what_cannot_be_read_is_one_sentence(run: Run, one_sentence: Sentence, monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert "there is no store" in one_sentence(run("events"))
    assert "is not a time" in one_sentence(run("events", "e.sqlite", "--since", "noon"))


def test_what_is_old_is_forgotten(run: Run, one_sentence: Sentence) -> None:
    fill(Store("e.sqlite"))
    assert run("events", "e.sqlite", "--forget", "30d").output == "1 event older than 30d forgotten\n"
    assert run("events", "e.sqlite", "--forget", "0h").output == "8 events older than 0h forgotten\n"
    assert (
        run("events", "e.sqlite").output
        == "0 events: 0 clean, 0 flagged, 0 not covered, 0 not checked, 0 failed\n"
    )
    assert "is not an age" in one_sentence(run("events", "e.sqlite", "--forget", "soon"))
    assert "by age alone" in one_sentence(run("events", "e.sqlite", "--forget", "1d", "--tool", "t"))
