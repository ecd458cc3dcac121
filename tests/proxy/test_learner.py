"""Learning: schemas at once, traffic as evidence suffices, and a restart loses nothing."""

import json
import sqlite3
import subprocess
import sys
import time

from outcome_monitors.learning.flagged_evidence import FlaggedEvidence
from outcome_monitors.learning.miner import mine_folder, prune
from outcome_monitors.learning.rollout_store import read_rollout
from outcome_monitors.learning.storage import MINE
from outcome_monitors.proxy import JsonRpcSession
from outcome_monitors.traces.reader import read_traces
from outcome_monitors.values.folders import MINING
from tests.events.shop import contracts, order
from tests.proxy.live_shop import HOUR, Clock, Shop, told
from tests.proxy.wire import PATIENCE, answer, call, line, result


def recorded(folder):
    files = sorted((folder / "traces").glob("*.jsonl"))
    return [json.loads(text) for file in files for text in file.read_text().splitlines()]


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
    bad, clock = order(3, total=-3.0), Clock()
    first = Shop(tmp_path, clock=clock)
    for number in range(60):
        first.talk(order(number), name=f"s{number}")
    first.close()
    assert first.sink.outcomes == ["not_covered"] * 60
    mine_folder(tmp_path)

    second = Shop(tmp_path, clock=clock)
    assert second.talk(order(1)), "a call, so that there is something to write"
    second.close()
    assert second.learner.stages() == {"get_order": "shadow"}

    third = Shop(tmp_path, clock=clock)
    assert told(third.talk(bad)) == [0], "flagged, and nobody told"
    assert third.sink.outcomes == ["flagged"]
    for number in range(240):
        clock.now += HOUR / 4
        third.talk(order(number % 60), name=f"t{number}")
    third.close()
    assert third.learner.stages() == {"get_order": "advising"}

    fourth = Shop(tmp_path, clock=clock)
    assert told(fourth.talk(bad, order(4))) == [1, 0]
    fourth.close()
    assert [call.get("untold") for call in recorded(tmp_path) if call["result"]["total"] == -3.0] == [
        "not proven",
        "",
    ], "kept, with what came of it"


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
    wrong, right = map(json.loads, file.read_text().splitlines())
    assert (wrong["flagged"], wrong["sure"], wrong["untold"]) == (True, True, "in shadow")
    assert wrong["findings"][0][0].startswith("get_order.")
    assert "flagged" not in right
    disputes = FlaggedEvidence()
    calls = [*read_traces([file])]
    for one in calls:
        disputes.add(one)
    assert [disputes.admits(one) for one in calls] == [False, True]


def test_of_several_miners_one_works(tmp_path):
    (tmp_path / "traces").mkdir()
    lock = sqlite3.connect(tmp_path / MINING, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    assert not mine_folder(tmp_path)
    lock.close()
    assert mine_folder(tmp_path)


def test_the_oldest_traces_go_first(tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.jsonl").write_text("x" * 100)
    assert [file.name for file in prune(tmp_path, 250)] == ["2.jsonl", "3.jsonl"]
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
    monkeypatch.setattr("outcome_monitors.learning.recorder.time.monotonic", lambda: now[0])
    shop = Shop(tmp_path)
    dialogue = JsonRpcSession(shop.desk, "s")
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
    assert read_rollout(tmp_path / "stages.sqlite").recorded == 2


def test_the_miner_is_a_program_of_its_own(tmp_path):
    shop = Shop(tmp_path)
    for number in range(30):
        shop.talk(order(number), name=f"s{number}")
    shop.close()
    (tmp_path / "contracts.json").unlink(missing_ok=True)
    subprocess.run([sys.executable, "-c", MINE, str(tmp_path)], check=True)
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
