"""Versions where agents run: proxies take up the one in force, and its events bear its number."""

import json

import pytest

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.events import read_events
from outcome_monitors.model import Clause, Contract
from outcome_monitors.rules import KINDS
from outcome_monitors.storage.opening import open_storage
from outcome_monitors_server.versions.versions import body_of, publish, roll_back
from tests.events.shop import order
from tests.mcp.folders import closed, live

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


def put_in_force(folder, body: str) -> None:
    with open_storage(folder).versions(change=True) as table:
        publish(table, body, by="test", evidence={})


def current(folder) -> str:
    with open_storage(folder).versions() as table:
        return body_of(table, 1)


def flagged(folder, after: int = 0):
    return [event for event in read_events(folder / "events.sqlite") if event["outcome"] == "flagged"][after:]


def is_told(said) -> bool:
    return "inconsistent" in json.dumps(said)


def test_running_proxies_take_up_a_version_and_its_end(learned_folder):
    shop = live(learned_folder)
    assert is_told(shop.talk(WRONG, name="one"))
    put_in_force(learned_folder, lenient(current(learned_folder)))
    shop.learner.written(0)
    assert not is_told(shop.talk(WRONG, name="two"))
    with open_storage(learned_folder).versions(change=True) as table:
        roll_back(table, None, by="test", reason="it misses what is negative")
    shop.learner.written(0)
    assert is_told(shop.talk(WRONG, name="three"))
    closed(shop)
    assert {event["session"]: event["version"] for event in flagged(learned_folder)}["three"] == 1


@pytest.mark.parametrize("text", ["{", "[]", '{"number": "one", "sha256": ""}', "[" * 100_000])
def test_a_document_that_cannot_be_used_names_no_version(learned_folder, text):
    (learned_folder / "version.json").write_text(text)
    shop = live(learned_folder)
    assert is_told(shop.talk(WRONG, name="a talk"))
    closed(shop)
    assert all("version" not in event for event in flagged(learned_folder))
