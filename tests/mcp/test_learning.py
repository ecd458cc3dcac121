"""Learning from live traffic: schemas at once, contracts as evidence suffices; who carries a contract, and what takes it back."""

import json
import random
import sqlite3
import subprocess
import sys
import time

import pytest

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.alerting.policy import alert_always
from outcome_monitors.learning.flagged_evidence import FlaggedEvidence
from outcome_monitors.learning.miner import mine_folder, prune
from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.learning.rollout_store import read_rollout
from outcome_monitors.learning.storage import MINE
from outcome_monitors.rules import KINDS
from outcome_monitors.storage.layout import MINING
from outcome_monitors.traces.reader import read_traces
from tests.events.shop import contracts, order
from tests.mcp.live_shop import BEGIN, DAY, HOUR, NEVER, Clock, Shop, told
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


def test_given_contracts_alert_from_the_first(tmp_path):
    shop = Shop(tmp_path, given=contracts())
    assert told(shop.talk(order(1, total=-1.0), order(1))) == [1, 0]
    shop.close()


def test_what_violates_a_schema_is_no_evidence_in_shadow_either(tmp_path):
    shop = Shop(tmp_path, mode="shadow")
    shop.lists_tools()
    assert told(shop.talk({"id": "W1"}, order(1))) == [0, 0]
    shop.close()
    wrong, right = recorded(tmp_path)
    assert (wrong["flagged"], wrong["sure"], wrong["untold"]) == (True, True, "in shadow")
    assert wrong["findings"][0][0].startswith("get_order.")
    assert "flagged" not in right
    evidence = FlaggedEvidence()
    calls = [*read_traces([*(tmp_path / "traces").iterdir()])]
    for one in calls:
        evidence.add(one)
    assert [evidence.admits(one) for one in calls] == [False, True]


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


@pytest.mark.parametrize("clients", [("one",), ("one", "two", "three", "four")])
def test_one_client_or_one_hour_cannot_bring_a_contract_to_advising(tmp_path, clients):
    clock = Clock()
    learned(tmp_path, clock)
    shop, _ = later(tmp_path, clock, orders(180), step=10 / 180, clients=clients)
    assert shop.learner.stages() == {"get_order": "shadow"}
    assert not kinds_in_force(shop)


def test_a_client_that_is_alone_needs_another_day(tmp_path):
    clock = Clock()
    learned(tmp_path, clock)
    for stage in ("shadow", "advising"):
        shop, _ = later(tmp_path, clock, orders(40), step=HOUR / 4, clients=("one",))
        assert shop.learner.stages() == {"get_order": stage}
        clock.now += DAY


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
    assert shop.learner.stages() == {"get_order": "shadow"}
    shop, said = later(tmp_path, clock, changed, step=1.0, weighs=alert_always)
    assert not any(said)
    assert shop.learner.stages() == {"get_order": "advising"}
    wrong = [order(3, status="returned"), order(3, total="much")]
    assert later(tmp_path, clock, wrong, step=1.0, weighs=alert_always)[1] == [0, 1]


def test_an_outage_is_alerted_and_takes_nothing_back(tmp_path):
    clock = Clock()
    advising(tmp_path, clock)
    shop, said = later(tmp_path, clock, [{"error": "down", "code": 503}] * 60, step=1.0)
    assert all(said)
    assert shop.learner.stages() == {"get_order": "advising"}


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


def test_neither_an_unvalidated_version_of_a_clause_nor_an_outdated_one_alerts_alone(tmp_path):
    clock, states = Clock(), ("paid", "sent", "lost")
    learned(tmp_path, clock, [order(n, status=states[n % 3]) for n in range(90)])
    later(tmp_path, clock, [order(n % 60, status=states[n % 3]) for n in range(240)], step=HOUR / 2)
    other = ("paid", "sent", "returned")
    learned(tmp_path / "other", clock, [order(n, status=other[n % 3]) for n in range(90)])
    (tmp_path / "other" / "contracts.json").replace(tmp_path / "contracts.json")
    wrong = [order(1, status=status) for status in ("lost", "returned", "<none>")]
    shop, said = later(tmp_path, clock, wrong, step=1.0, weighs=alert_always)
    assert said == [0, 0, 1]
    assert shop.sink.outcomes == ["flagged", "clean", "flagged"]


FAULTS = (
    lambda one: {**one, "total": -one["total"] - 1},
    lambda one: {**one, "total": f"about {one['total']}"},
    lambda one: {key: one[key] for key in ("id", "total")},
    lambda _: {"error": "upstream timed out", "code": 504},
    lambda one: {**one, "id": "<html><body>502 Bad Gateway</body></html>"},
    dict.fromkeys,
    lambda one: {**one, "total": one["total"] * 1000},
)
NOTES = ("leave at the door", "call before delivery", "ring twice please", "gift for a friend")
NEW_NOTES = (
    "**Gift!** wrap it; deliver by 5pm",
    "- fragile\n- upstairs (3rd floor)",
    "see <https://shop.example/n/17>",
)


def test_after_a_change_alerts_get_fewer_and_faults_are_alerted_as_ever(tmp_path):
    """Six days of right calls; then, with a null field, a rare status and notes in another form, four days with 3 % faults."""
    rand, clock, policy, alerted = random.Random(1), Clock(), AlertPolicy(), []
    for day in range(10):
        changed, seen = day >= 6, []
        for part in range(3):
            clock.now = BEGIN + day * DAY + part * 3 * HOUR
            thresholds = Thresholds(calls=NEVER, disputed=NEVER)
            shop = Shop(tmp_path, thresholds=thresholds, clock=clock, weighs=[policy], by_hand=True)
            for number in range(100):
                one = order(rand.randrange(200), note=rand.choice(NOTES))
                if changed:
                    one |= {"gift": None, "note": rand.choice(NEW_NOTES if rand.random() < 0.5 else NOTES)}
                    one |= {"status": "returned"} if rand.random() < 0.05 else {}
                wrong = changed and rand.random() < 0.03
                value = rand.choice(FAULTS)(one) if wrong else one
                asked = [("get_order", {"id": one["id"]}, value)]
                said = told(shop.converse(asked, f"{day}/{part}/{number}", f"client {number % 3}"))
                seen.append((wrong, said[0]))
            shop.close()
        if day in (0, 1, 3, 5, 7, 8):
            mine_folder(tmp_path)
        alerted.append(seen)

    def rate(days, wrong=False):
        said = [alert for day in alerted[days] for bad, alert in day if bad is wrong]
        return sum(said) / len(said)

    assert rate(slice(6)) <= 0.01
    assert rate(slice(6, 8)) <= 0.1
    assert rate(slice(8, 10)) <= 0.015
    assert rate(slice(6, 10), wrong=True) >= 0.8


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


def test_two_proxies_share_a_folder(tmp_path):
    one, two = Shop(tmp_path), Shop(tmp_path)
    one.lists_tools()
    one.talk(order(1), name="one")
    two.talk(order(2), name="two")
    one.close()
    two.close()
    assert sorted(call["session"] for call in recorded(tmp_path)) == ["one", "two"]
    assert read_rollout(tmp_path / "stages.sqlite").recorded == 2


def test_of_several_miners_one_works(tmp_path):
    (tmp_path / "traces").mkdir()
    lock = sqlite3.connect(tmp_path / MINING, isolation_level=None)
    lock.execute("BEGIN EXCLUSIVE")
    assert not mine_folder(tmp_path)
    lock.close()
    assert mine_folder(tmp_path)


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
