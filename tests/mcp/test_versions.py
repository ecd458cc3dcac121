"""Versions where agents run: a share of the conversations is under the one that is tried, and in shadow it is checked beside."""

import json

import pytest

from outcome_monitors.contracts.candidate import in_share
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import read_events
from outcome_monitors.events.canary import IN_SHADOW
from outcome_monitors.model import Clause, Contract
from outcome_monitors.rules import KINDS
from outcome_monitors.storage.opening import open_storage
from outcome_monitors_server.versions.versions import body_of, promote, publish, roll_back
from tests.events.shop import order
from tests.mcp.folders import closed, live

NAMES = [f"talk {number}" for number in range(40)]
UNDER, OTHERS = ([name for name in NAMES if in_share(name, 0.5) is inside] for inside in (True, False))


WRONG = order(1, total=-1)


def lenient(text: str) -> str:
    """Return contracts without the clauses that the wrong order breaks."""
    registry = Registry.loads(text)
    kept = {
        tool: Contract(tool, tuple(clause for clause in contract.clauses if not _broken(clause)))
        for tool, contract in registry.contracts.items()
    }
    return Registry(kept, registry.profile).dumps()


def _broken(clause: Clause) -> bool:
    return any(KINDS[clause.kind].check(clause, {"id": "W1"}, WRONG))


def try_version(folder, body: str, stage: str, share: float = 1.0) -> None:
    with open_storage(folder).versions(change=True) as table:
        one, _ = publish(table, body, by="test", evidence={}, promotion="none")
        promote(table, one.number, stage, share, by="test")


def current(folder) -> str:
    with open_storage(folder).versions() as table:
        return body_of(table, 1)


def flagged(folder, after: int = 0):
    return [event for event in read_events(folder / "events.sqlite") if event["outcome"] == "flagged"][after:]


def is_told(said) -> bool:
    return "inconsistent" in json.dumps(said)


def test_a_share_of_the_conversations_is_under_the_version_that_is_tried(learned_folder):
    try_version(learned_folder, lenient(current(learned_folder)), "share", 0.5)
    shop = live(learned_folder)
    told = {name: is_told(shop.talk(WRONG, name=name)) for name in (UNDER[0], OTHERS[0])}
    closed(shop)
    assert told == {UNDER[0]: False, OTHERS[0]: True}
    assert {event["session"]: event["version"] for event in flagged(learned_folder)}[OTHERS[0]] == 1
    assert all(event["version"] == 2 for event in flagged(learned_folder) if event["session"] == UNDER[0])


def test_running_proxies_take_up_a_version_and_its_end(learned_folder):
    shop = live(learned_folder)
    assert is_told(shop.talk(WRONG, name=UNDER[0]))
    try_version(learned_folder, lenient(current(learned_folder)), "share", 1.0)
    shop.learner.written(0)
    assert not is_told(shop.talk(WRONG, name=UNDER[1]))
    with open_storage(learned_folder).versions(change=True) as table:
        promote(table, 2, by="test")
        roll_back(table, None, by="test", reason="it misses what is negative")
    shop.learner.written(0)
    assert is_told(shop.talk(WRONG, name=UNDER[2]))
    closed(shop)


def test_in_shadow_a_version_is_an_event_and_nobody_is_told(learned_folder):
    whole = current(learned_folder)
    with open_storage(learned_folder).versions(change=True) as table:
        one, _ = publish(table, lenient(whole), by="test", evidence={}, promotion="none")
        promote(table, one.number, by="test")
    try_version(learned_folder, whole, "shadow")
    shop = live(learned_folder)
    said = shop.talk(order(1), WRONG, name="a talk")
    closed(shop)
    assert not is_told(said)
    [event] = [event for event in flagged(learned_folder) if event["version"] == 3]
    assert (event["session"], event["told"], event["why"]) == ("a talk", False, IN_SHADOW)
    assert "get_order.total/positive" in [clause.partition("#")[0] for clause in event["clauses"]]


@pytest.mark.parametrize("text", ["{", '{"format": "outcome-monitors/candidate", "version": 9}'])
def test_a_document_that_cannot_be_used_leaves_the_version_for_all(learned_folder, text, caplog):
    (learned_folder / "candidate.json").write_text(text)
    shop = live(learned_folder)
    assert is_told(shop.talk(WRONG, name="a talk"))
    closed(shop)
    assert shop.watch.canary is None
    assert "no version is tried" in caplog.text
