"""Relations from the tools in sight and from traffic, where nobody has built any."""

from typing import Any

import pytest

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, Relations, Watch
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
    given = Relations(
        Relations.declared({"place_order": ["get_weather"]}),
        edits=[Edit("get_order", "list_orders", "reject")],
    )
    watch = watching("place_order", relations=given)
    watch.listed([tool(name, order_id="string") for name in SHOP])
    settled(watch)
    assert offered(watch, "place_order", SHOP) == ["get_weather"]


def test_the_published_list_is_left_as_it_was_given():
    watch = watching("place_order", listing="published")
    watch.listed([tool(name, order_id="string") for name in SHOP])
    assert watch.relation_learner is None
    assert offered(watch, "place_order", SHOP) == ["place_order"]


def test_a_result_that_breaks_something_is_not_learned_from():
    watch = watching("place_order", "get_order")
    assert watch.relation_learner is not None
    for n in range(30):
        watch.conversation(f"c{n}").look("get_order", {"order_id": f"O-{n}"}, {"total": -1}, SHOP)
    assert not watch.relation_learner._calls


@pytest.mark.parametrize("odd", [None, "x", {}, {"name": 3}, {"name": "a", "inputSchema": []}])
def test_odd_tools_are_left_out(odd):
    watch = watching("place_order")
    watch.listed([odd, tool("place_order"), tool("get_order", hints={"readOnlyHint": True})])
    settled(watch)
    assert "get_order" in offered(watch, "place_order", ["place_order", "get_order"])


def test_of_very_many_tools_only_what_they_do_is_known():
    watch = watching("tool_7")
    watch.listed([tool(f"tool_{n}", hints={"readOnlyHint": n == 7}, key="string") for n in range(1200)])
    settled(watch)
    assert offered(watch, "tool_7", [f"tool_{n}" for n in range(1200)]) == ["tool_7"]
    assert watch.monitor.relations.may_write("tool_8")
    assert watch.monitor.relations.checks == {}


def kept_of(arguments: Any, result: Any) -> Call:
    """Return the call that is kept, once the host has changed what it handed over."""
    watch = watching()
    watch.conversation().look("get_order", arguments, result, SHOP)
    for value in (*arguments.values(), *result.values()):
        if isinstance(value, list):
            value.clear()
    assert watch.relation_learner is not None
    [kept] = watch.relation_learner._calls
    return kept


def test_a_small_copy_is_kept_of_a_result():
    kept = kept_of(
        {"ids": [1, 2]}, {"rows": [{"text": "x" * 9999, "left": None}] * 999, "total": 1.5, "odd": object()}
    )
    assert kept.arguments == {"ids": [1, 2]}
    assert kept.result == {"rows": [{"text": "x" * 200, "left": None}] * 20, "total": 1.5, "odd": None}


def broken(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize(
    "place",
    ["threading.Thread.start", "outcome_monitors.recovery.learner.Tool"],
)
def test_a_receipt_is_given_though_nothing_can_be_learned(place, monkeypatch, caplog):
    monkeypatch.setattr(place, broken)
    outcome = watching("get_order").conversation().look("get_order", {}, {"total": -1}, SHOP)
    assert outcome.receipt is not None
    assert "can't start new thread" in caplog.text


def test_relations_are_made_ever_more_seldom_of_the_newest_calls(monkeypatch):
    monkeypatch.setattr("outcome_monitors.recovery.learner.MOST_CALLS", 20)
    watch = watching()
    assert watch.relation_learner is not None
    made = set()
    for n in range(80):
        conversation = watch.conversation(f"c{n}")
        for _ in range(5):
            conversation.look("get_order", {}, {"total": 1}, ["get_order"])
            settled(watch)
            made.add(watch.relation_learner.thread)
    # At the first call, since the tool is new, then at the 21st, 42nd, 84th and so on: not for each 20 that are held.
    assert len(made) == 6
    assert {call.session for call in watch.relation_learner._calls} == {"c76", "c77", "c78", "c79"}
