"""Learning: schemas at once, traffic as evidence suffices, and a restart loses nothing."""

import json
import sqlite3
import subprocess
import sys
import time

import pytest

from outcome_monitors.events import Watch
from outcome_monitors.proxy import (
    Desk,
    Dialogue,
    Recorder,
    Thresholds,
    TimeLimit,
    learner as learner_module,
    miner as miner_module,
)
from outcome_monitors.proxy.learner import Learner
from outcome_monitors.proxy.miner import mine_folder
from outcome_monitors.proxy.stages import ADVISING, SHADOW, StageTrial
from tests.events.shop import Kept, contracts, order
from tests.proxy.wire import PATIENCE, TOOLS, answer, call, line, lists, result

SOON = Thresholds(tasks=20, results=20, calls=40)


class Shop:
    """A proxy's desk that learns, without a process around it."""

    def __init__(self, folder, mode="advise", given=None):
        self.sink = Kept()
        self.learner = Learner(folder, given, thresholds=SOON)
        self.recorder = Recorder(folder / "traces", self.learner.wanted, written=self.learner.written)
        watch = Watch(self.learner.monitor(), self.sink, mode=mode, tells=self.learner.tells)
        self.learner.watch = watch
        self.desk = Desk(watch, recorder=self.recorder, budget=TimeLimit(0), listed=self.learner.listed)

    def talk(self, *results, name="s"):
        dialogue = Dialogue(self.desk, name)
        said = []
        for number, value in enumerate(results):
            dialogue.asked(line(call(number, id=value.get("id", "W1"))))
            said.append(json.loads(dialogue.answered(line(answer(number, result(value))))))
        return said

    def lists_tools(self):
        dialogue = Dialogue(self.desk, "l")
        dialogue.asked(line(lists(0)))
        return dialogue.answered(line(answer(0, {"tools": TOOLS})))

    def close(self):
        self.recorder.close()
        self.learner.close()
        for miner in learner_module._miners:
            miner.wait(60)


def recorded(folder):
    files = sorted((folder / "traces").glob("*.jsonl"))
    return [json.loads(text) for file in files for text in file.read_text().splitlines()]


def told(said):
    return [len(message["result"]["content"]) - 1 for message in said]


def test_the_servers_own_schemas_hold_at_once_and_after_a_restart(tmp_path):
    shop = Shop(tmp_path)
    assert told(shop.talk({"id": 5})) == [0]
    assert b"outcome_contract" in shop.lists_tools()
    assert told(shop.talk({"id": "W1"}, order(1))) == [1, 0]
    assert shop.sink.outcomes == ["not_covered", "flagged", "clean"]
    assert shop.sink.events[1].violations[0].code == "missing_required_field"
    shop.close()
    assert told(Shop(tmp_path).talk({"id": "W1"})) == [1]


def test_a_tool_goes_from_observing_to_shadow_to_advising(tmp_path):
    bad = order(3, total=-3.0)
    first = Shop(tmp_path)
    for number in range(60):
        first.talk(order(number), name=f"s{number}")
    first.close()
    assert first.sink.outcomes == ["not_covered"] * 60
    mine_folder(tmp_path)

    second = Shop(tmp_path)
    assert second.talk(order(1)), "a call, so that there is something to write"
    second.close()
    assert second.learner.stages() == {"get_order": "shadow"}

    third = Shop(tmp_path)
    assert told(third.talk(bad)) == [0], "flagged, and nobody told"
    assert third.sink.outcomes == ["flagged"]
    for number in range(120):
        third.talk(order(number % 60), name=f"t{number}")
    third.close()
    assert third.learner.stages() == {"get_order": "advising"}

    fourth = Shop(tmp_path)
    assert told(fourth.talk(bad, order(4))) == [1, 0]
    fourth.close()
    assert sum(call["result"]["total"] == -3.0 for call in recorded(tmp_path)) == 1, (
        "of the shadow, not of what was told"
    )


def test_contracts_that_were_given_are_told_from_the_first(tmp_path):
    shop = Shop(tmp_path, given=contracts())
    assert told(shop.talk(order(1, total=-1.0), order(1))) == [1, 0]
    shop.close()


def test_in_shadow_what_breaks_a_schema_is_no_evidence_either(tmp_path):
    shop = Shop(tmp_path, mode="shadow")
    shop.lists_tools()
    assert told(shop.talk({"id": "W1"}, order(1))) == [0, 0]
    shop.close()
    [file] = (tmp_path / "traces").glob("*.jsonl")
    assert len(file.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("trial", "stage"),
    [
        (StageTrial(SHADOW, "k", 99, 0), SHADOW),
        (StageTrial(SHADOW, "k", 100, 1), ADVISING),
        (StageTrial(SHADOW, "k", 100, 2), SHADOW),
        (StageTrial(SHADOW, "k", 1000, 10), ADVISING),
    ],
)
def test_when_evidence_suffices(trial, stage):
    assert trial.promoted(Thresholds()).stage == stage


def test_a_contract_that_fired_and_was_mined_anew_is_tried_anew():
    assert StageTrial(SHADOW, "k", 50, 3).renewed("other") == StageTrial(SHADOW, "other", 0, 0)
    assert StageTrial(SHADOW, "k", 50, 0).renewed("other") == StageTrial(SHADOW, "other", 50, 0)
    assert StageTrial(ADVISING, "k", 50, 3).renewed("other").stage == ADVISING
    assert StageTrial(SHADOW, "k", 50, 3).renewed("k") == StageTrial(SHADOW, "k", 50, 3)


def test_of_several_miners_one_works(tmp_path):
    (tmp_path / "traces").mkdir()
    lock = sqlite3.connect(tmp_path / miner_module.LOCK, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    assert not mine_folder(tmp_path)
    lock.close()
    assert mine_folder(tmp_path)


def test_the_oldest_traces_go_first(tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.jsonl").write_text("x" * 100)
    assert [file.name for file in miner_module.prune(tmp_path, 250)] == ["2.jsonl", "3.jsonl"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["2.jsonl", "3.jsonl"]


def test_state_that_is_broken_is_no_reason_to_stop(tmp_path, caplog):
    (tmp_path / "tools.json").write_text("{")
    (tmp_path / "contracts.json").write_text("no")
    shop = Shop(tmp_path)
    assert told(shop.talk(order(1))) == [0]
    shop.close()
    assert "tools.json cannot be used" in caplog.text
    assert "contracts.json is not JSON" in caplog.text


def test_a_pause_begins_another_task(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("outcome_monitors.proxy.recorder.time.monotonic", lambda: now[0])
    shop = Shop(tmp_path)
    dialogue = Dialogue(shop.desk, "s")
    for number, pause in enumerate((0, 10, 200, 10)):
        now[0] += pause
        dialogue.asked(line(call(number)))
        dialogue.answered(line(answer(number, result(order(number)))))
    monkeypatch.undo()
    shop.close()
    assert [call["task"] for call in recorded(tmp_path)] == ["s/0", "s/0", "s/1", "s/1"]


def test_two_proxies_share_a_folder(tmp_path):
    one, two = Shop(tmp_path), Shop(tmp_path)
    one.lists_tools()
    one.talk(order(1), name="one")
    two.talk(order(2), name="two")
    one.close()
    two.close()
    assert sorted(call["session"] for call in recorded(tmp_path)) == ["one", "two"]
    assert one.learner._stages.recorded(0)[0] == 2


def test_the_miner_is_a_program_of_its_own(tmp_path):
    shop = Shop(tmp_path)
    for number in range(30):
        shop.talk(order(number), name=f"s{number}")
    shop.close()
    (tmp_path / "contracts.json").unlink(missing_ok=True)
    subprocess.run([sys.executable, *miner_module.PROGRAM, str(tmp_path)], check=True)
    assert "get_order" in json.loads((tmp_path / "contracts.json").read_text())["tools"]


def test_the_proxy_starts_the_miner_when_there_is_enough(tmp_path):
    shop = Shop(tmp_path)
    for number in range(45):
        shop.talk(order(number), name=f"s{number}")
    until = time.monotonic() + PATIENCE
    while not (tmp_path / "contracts.json").exists() and time.monotonic() < until:
        time.sleep(0.05)
    shop.close()
    assert (tmp_path / "contracts.json").exists()
