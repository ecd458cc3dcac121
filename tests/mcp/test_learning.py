"""Learning from live traffic: schemas at once, contracts as evidence suffices; who carries a contract, and what takes it back."""

import json
import random
import subprocess
import sys
import time

import pytest

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.alerting.policy import alert_always
from outcome_monitors.alerting.suppression import LiveOverrides, SuppressionPolicy
from outcome_monitors.contracts.identity import address
from outcome_monitors.learning.decisions import mute
from outcome_monitors.learning.folder import StateFolder
from outcome_monitors.learning.miner import mine_folder
from outcome_monitors.learning.quotas import prune
from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.learning.storage import MINE
from outcome_monitors.rules import KINDS
from outcome_monitors.storage.folder import FolderStorage
from tests.events.shop import order
from tests.mcp.live_shop import DAY, HOUR, NEVER, Clock, Shop, told
from tests.mcp.wire import PATIENCE, Session, result

RARELY = Thresholds(tasks=20, results=20, early=20, calls=NEVER, disputed=NEVER)
"""Contracts are mined when a test says so."""


def recorded(folder):
    files = sorted((folder / "traces").glob("*.jsonl"))
    return [json.loads(text) for file in files for text in file.read_text().splitlines()]


def learned(folder, clock, results=None):
    """Record what contracts are mined from, and mine them: in one hour, which proves nothing."""
    shop = Shop(folder, thresholds=RARELY, clock=clock, by_hand=True)
    for number, value in enumerate(results or map(order, range(60))):
        shop.talk(value, name=f"s{number}")
    shop.close()
    mine_folder(folder)


def later(folder, clock, results, *, step, clients=("one", "two"), **options):
    """Give results, each in a task of its own, some time after the other; return the shop and whether each was alerted."""
    shop = Shop(folder, thresholds=RARELY, clock=clock, by_hand=True, **options)
    shop.talk(order(1), name="first")
    shop.close()
    shop = Shop(folder, thresholds=RARELY, clock=clock, by_hand=True, **options)
    said = []
    for number, value in enumerate(results):
        clock.now += step
        said += told(shop.talk(value, name=f"{clock.now}/{number}", client=clients[number % len(clients)]))
    shop.close()
    return shop, said


def orders(count):
    return [order(n % 60) for n in range(count)]


def kinds_in_force(shop):
    return {clause.kind for clause in shop.learner.progress.in_force("get_order").values()}


def advising(folder, clock):
    learned(folder, clock)
    shop, _ = later(folder, clock, orders(160), step=HOUR / 2)
    assert shop.learner.stages() == {"get_order": "advising"}


WORDS = "leave it at the front door ring twice please call before we are back, in the shed with Mr. Brown (2nd floor)"
ANOMALIES = (
    "<html><body><h1>502</h1></body></html>",
    "Traceback (most recent call last):",
    "Error: ECONNREFUSED",
)


def noted(number):
    chosen, words = random.Random(number), WORDS.split()
    return order(number % 60, note=" ".join(chosen.sample(words, chosen.randint(1, 12))))


def test_each_sort_of_anomalous_text_is_in_force_and_muted_by_itself(tmp_path):
    clock = Clock()
    learned(tmp_path, clock, [noted(number) for number in range(100)])
    shop, _ = later(tmp_path, clock, [noted(number) for number in range(400)], step=HOUR / 2)
    in_force = {
        tuple(clause.params["marks"]): clause
        for clause in shop.learner.progress.in_force("get_order").values()
        if clause.kind == "anomalous_text"
    }
    assert len(in_force) > 2
    for text in (*ANOMALIES, "not found"):
        assert later(tmp_path, clock, [{**noted(7), "note": text}], step=HOUR)[1] == [1], text
    mute(StateFolder(FolderStorage(tmp_path)), address("get_order", in_force["refusal",]))
    weighs = [SuppressionPolicy(LiveOverrides(tmp_path / "overrides.json")), AlertPolicy()]
    for text, receipts in (*((text, 1) for text in ANOMALIES), ("not found", 0)):
        _, said = later(tmp_path, clock, [{**noted(7), "note": text}], step=HOUR, weighs=weighs)
        assert said == [receipts], text


# What is in force from the first


def test_the_servers_own_schemas_hold_at_once_and_after_a_restart(tmp_path):
    shop = Shop(tmp_path)
    assert told(shop.talk({"id": 5})) == [0]
    assert b"outcome_contract" in shop.lists_tools()
    assert told(shop.talk({"id": "W1"}, order(1))) == [1, 0]
    assert shop.sink.outcomes == ["not_covered", "flagged", "clean"]
    assert shop.sink.events[1].violations[0].code == "missing_required_field"
    shop.close()
    assert told(Shop(tmp_path).talk({"id": "W1"})) == [1]


# Stages


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
    assert told(third.talk(bad)) == [0], "flagged, and no alert"
    assert third.sink.outcomes == ["flagged"]
    for number in range(240):
        clock.now += HOUR / 4
        third.talk(order(number % 60), name=f"t{number}")
    third.close()
    assert third.learner.stages() == {"get_order": "advising"}
    fourth = Shop(tmp_path, clock=clock)
    assert told(fourth.talk(bad, order(4))) == [1, 0]
    fourth.close()
    marks = [call.get("untold") for call in recorded(tmp_path) if call["result"]["total"] == -3.0]
    assert marks == ["not proven", ""], "recorded with what came of it"


@pytest.mark.parametrize(("clients", "step"), [(("one",), HOUR / 18), (("one", "two", "three"), 10 / 180)])
def test_one_client_or_one_hour_cannot_bring_a_contract_to_advising(tmp_path, clients, step):
    clock = Clock()
    learned(tmp_path, clock)
    shop, _ = later(tmp_path, clock, orders(180), step=step, clients=clients)
    assert shop.learner.stages() == {"get_order": "shadow"}
    assert not kinds_in_force(shop)


def test_trusted_kinds_are_proven_first_and_those_that_may_be_of_the_day_last(tmp_path):
    clock = Clock()
    learned(tmp_path, clock)
    known = []
    for _ in range(3):
        shop, _ = later(tmp_path, clock, orders(40), step=HOUR / 6)
        known.append([KINDS[kind] for kind in kinds_in_force(shop)])
        clock.now += DAY - 40 * HOUR / 6
    assert known[0]
    assert all(kind.mining.trusted and not kind.traits.of_the_day for kind in known[0])
    assert any(not kind.mining.trusted for kind in known[1])
    assert not any(kind.traits.of_the_day for kind in known[1])
    assert any(kind.traits.of_the_day for kind in known[2])


def test_a_tool_that_alerts_too_often_goes_back_and_returns_without_the_loud_clause(tmp_path):
    clock = Clock()
    advising(tmp_path, clock)
    changed = [order(n % 60, status="returned") if n % 2 else order(n % 60) for n in range(120)]
    shop, said = later(tmp_path, clock, changed, step=1.0, weighs=alert_always)
    assert said == [n % 2 for n in range(120)], "all of it, while nobody has looked at the share"
    assert shop.learner.stages() == {"get_order": "advising"}, "one client, in one hour"
    shop, _ = later(tmp_path, clock, changed[:54], step=HOUR / 6, weighs=alert_always)
    assert shop.learner.stages() == {"get_order": "shadow"}
    shop, said = later(tmp_path, clock, changed, step=HOUR / 6, weighs=alert_always)
    assert not any(said)
    assert shop.learner.stages() == {"get_order": "advising"}
    wrong = [order(3, status="returned"), order(3, total="much")]
    assert later(tmp_path, clock, wrong, step=1.0, weighs=alert_always)[1] == [0, 1]


def test_a_new_clause_of_a_contract_in_force_is_validated_by_itself(tmp_path):
    clock = Clock()
    advising(tmp_path, clock)
    more = [order(n % 60, weight=1.5 + n % 7) for n in range(100)]
    later(tmp_path, clock, more, step=HOUR / 2)
    mine_folder(tmp_path)
    wrong = [order(2, weight="heavy"), order(2, total="much", weight=2.5)]
    shop, said = later(tmp_path, clock, wrong, step=1.0)
    assert said == [0, 1]
    assert shop.sink.outcomes == ["flagged", "flagged"]
    later(tmp_path, clock, more, step=HOUR / 2)
    assert later(tmp_path, clock, wrong, step=1.0)[1] == [1, 1]


# Recording and mining


def test_a_long_pause_begins_another_task(tmp_path, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("outcome_monitors.learning.recorder.time.monotonic", lambda: now[0])
    shop = Shop(tmp_path)
    talk = Session(shop.context)
    for number, pause in enumerate((0, 10, 200, 10)):
        now[0] += pause
        talk.call(result(order(number)), number)
    monkeypatch.undo()
    shop.close()
    assert [call["task"] for call in recorded(tmp_path)] == ["s/0", "s/0", "s/1", "s/1"]


def test_the_oldest_traces_are_deleted_first(tmp_path):
    for number in range(4):
        (tmp_path / f"{number}.jsonl").write_text("x" * 100)
    assert [file.name for file in prune(tmp_path, 250)] == ["2.jsonl", "3.jsonl"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["2.jsonl", "3.jsonl"]


def test_the_proxy_starts_a_miner_when_there_is_enough(tmp_path):
    shop = Shop(tmp_path)
    for number in range(45):
        shop.talk(order(number), name=f"s{number}")
    file, until = tmp_path / "contracts.json", time.monotonic() + PATIENCE
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.05)
    shop.close()
    file.unlink()
    subprocess.run([sys.executable, "-c", MINE, str(tmp_path)], check=True)
    assert "get_order" in json.loads(file.read_text())["tools"]
