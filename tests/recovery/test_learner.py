"""Relations from the tools in sight and from traffic, where nobody has built any."""

from typing import Any

import pytest

from outcome_monitors import Clause, Contract, Monitor, Registry, Relations, Watch
from outcome_monitors.recovery.relations import Edit
from tests.recovery.mining.examples import tool

POSITIVE = Clause("positive", "total", {}, samples=9, tasks=9, source="traces")
SHOP = ["place_order", "get_order", "list_orders", "get_weather"]


def watching(*tools: str, relations: Relations | None = None, **named: Any) -> Watch:
    contracts = {tool: Contract(tool, (POSITIVE,)) for tool in tools}
    return Watch(Monitor(Registry(contracts, "full"), relations, **named))


def settled(watch: Watch) -> None:
    """Wait for the relations that are being made."""
    assert watch.relation_learner is not None
    assert watch.relation_learner.thread is not None
    watch.relation_learner.thread.join()


def offered(watch: Watch, name: str, visible: list[str]) -> list[str]:
    outcome = watch.conversation().look(name, {"order_id": "O-9"}, {"total": -1}, visible)
    return list(outcome.recovery)


def test_from_traffic_and_names_in_sight_a_receipt_learns_what_to_offer():
    watch = watching("place_order")
    assert offered(watch, "place_order", SHOP) == []
    for n in range(30):
        conversation = watch.conversation(f"c{n}")
        conversation.look("place_order", {"sku": f"S{n}"}, {"order_id": f"O-{n}", "total": 2}, SHOP)
        conversation.look("get_order", {"order_id": f"O-{n}"}, {"order_id": f"O-{n}", "total": 2}, SHOP)
    settled(watch)
    assert offered(watch, "place_order", SHOP)[0] == "get_order"


def test_tools_that_are_listed_say_at_once_what_calling_them_does():
    watch = watching("frob")
    watch.listed([tool("frob", hints={"readOnlyHint": True}), tool("peek", hints={"readOnlyHint": True})])
    assert offered(watch, "frob", ["frob", "peek"])[0] == "frob"
    settled(watch)
    watch.listed([tool("frob", hints={"readOnlyHint": False})])
    settled(watch)
    assert offered(watch, "frob", ["frob", "peek"]) == ["peek"]


def test_what_was_given_of_a_tool_stands():
    declared = Relations.declared({"place_order": ["get_weather"]})
    given = Relations(declared, edits=[Edit("get_order", "list_orders", "reject")])
    watch = watching("place_order", relations=given)
    watch.listed([tool(name, order_id="string") for name in SHOP])
    settled(watch)
    assert offered(watch, "place_order", SHOP) == ["get_weather"]


def test_the_published_list_is_left_as_it_was_given():
    watch = watching("place_order", listing="published")
    watch.listed([tool(name, order_id="string") for name in SHOP])
    assert watch.relation_learner is None
    assert offered(watch, "place_order", SHOP) == ["place_order"]


@pytest.mark.parametrize("odd", [None, "x", {}, {"name": 3}, {"name": "a", "inputSchema": []}])
def test_odd_tools_are_left_out(odd):
    watch = watching("place_order")
    watch.listed([odd, tool("place_order"), tool("get_order", hints={"readOnlyHint": True})])
    settled(watch)
    assert "get_order" in offered(watch, "place_order", ["place_order", "get_order"])


def broken(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize("place", ["threading.Thread.start", "outcome_monitors.recovery.learner.Tool"])
def test_a_receipt_is_given_though_nothing_can_be_learned(place, monkeypatch, caplog):
    monkeypatch.setattr(place, broken)
    outcome = watching("get_order").conversation().look("get_order", {}, {"total": -1}, SHOP)
    assert outcome.receipt is not None
    assert "can't start new thread" in caplog.text
