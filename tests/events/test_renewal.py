"""Relations from the tools in sight and from traffic, where nobody has built any."""

from typing import Any

import pytest

from outcome_monitors import Clause, Contract, Monitor, Registry, Relations, Watch
from outcome_monitors.adapters.functions import run, watched
from outcome_monitors.receipts.carriers import beside
from outcome_monitors.recovery.relations import Edit
from tests.recovery.mining.examples import tool

POSITIVE = Clause("positive", "total", {}, samples=9, tasks=9, source="traces")
SHOP = ["place_order", "get_order", "list_orders", "get_weather"]


def watching(*tools: str, relations: Relations | None = None, **named: Any) -> Watch:
    contracts = {tool: Contract(tool, (POSITIVE,)) for tool in tools}
    return Watch(Monitor(Registry(contracts, "full"), relations, **named))


def settled(watch: Watch) -> None:
    """Wait for the relations that are being made."""
    assert watch.renewal is not None
    assert watch.renewal.thread is not None
    watch.renewal.thread.join()


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


def test_a_monitor_that_is_exchanged_keeps_what_was_learned():
    watch = watching("place_order")
    watch.listed([tool(name, order_id="string") for name in SHOP])
    settled(watch)
    before = offered(watch, "place_order", SHOP)
    watch.renew(Monitor(Registry({"place_order": Contract("place_order", (POSITIVE,))}, "full")))
    assert offered(watch, "place_order", SHOP) == before != []


def test_the_published_list_is_left_as_it_was_given():
    watch = watching("place_order", listing="published")
    watch.listed([tool(name, order_id="string") for name in SHOP])
    assert watch.renewal is None
    assert offered(watch, "place_order", SHOP) == ["place_order"]


def test_a_result_that_breaks_something_is_not_learned_from():
    watch = watching("place_order", "get_order")
    assert watch.renewal is not None
    for n in range(30):
        watch.conversation(f"c{n}").look("get_order", {"order_id": f"O-{n}"}, {"total": -1}, SHOP)
    assert not watch.renewal._calls


@pytest.mark.parametrize("odd", [None, "x", {}, {"name": 3}, {"name": "a", "inputSchema": []}])
def test_odd_tools_are_left_out(odd):
    watch = watching("place_order")
    watch.listed([odd, tool("place_order"), tool("get_order", hints={"readOnlyHint": True})])
    settled(watch)
    assert "get_order" in offered(watch, "place_order", ["place_order", "get_order"])


def test_a_decorated_function_says_what_it_does_and_needs():
    watch = watching("orders")

    @watched(watch, tools=["orders"], carry=beside)
    def orders(city, status=None):
        """List the orders of a city."""
        return {"total": -1}

    with run("one"):
        told = [orders("Rome", status="open")["outcome_contract"] for _ in range(2)]
    assert [receipt["admissible_recovery_tools"] for receipt in told] == [["orders"], ["orders"]]


def test_of_very_many_tools_only_what_they_do_is_known():
    watch = watching("tool_7")
    watch.listed([tool(f"tool_{n}", hints={"readOnlyHint": n == 7}, key="string") for n in range(1200)])
    settled(watch)
    assert offered(watch, "tool_7", [f"tool_{n}" for n in range(1200)]) == ["tool_7"]
    assert watch.monitor.relations.may_write("tool_8")
    assert watch.monitor.relations.checks == {}


def test_what_is_kept_of_results_is_small_and_a_copy():
    watch = watching()
    result = {"rows": [{"text": "x" * 9999}] * 999, "total": 1}
    watch.conversation().look("get_order", {}, result, SHOP)
    result["rows"] = []
    assert watch.renewal is not None
    [kept] = watch.renewal._calls
    assert len(str(kept)) < 5000
    assert len(kept.call.result["rows"]) == 20
    assert len(kept.call.result["rows"][0]["text"]) == 200


def test_what_is_kept_is_what_was_seen_whatever_becomes_of_it():
    watch = watching()
    asked: dict[str, Any] = {"ids": [1, 2]}
    result: dict[str, Any] = {"rows": [{"text": "x" * 999, "left": None}], "total": 1.5}
    watch.conversation().look("get_order", asked, result, SHOP)
    asked["ids"].clear()
    result["rows"].clear()
    assert watch.renewal is not None
    [kept] = watch.renewal._calls
    assert kept.call.arguments == {"ids": [1, 2]}
    assert kept.call.result == {"rows": [{"text": "x" * 200, "left": None}], "total": 1.5}


def test_of_a_tree_of_lists_so_much_is_kept_as_is_soon_copied():
    tree: Any = 1
    for _ in range(5):
        tree = [tree] * 20
    watch = watching()
    watch.conversation().look("get_order", {}, {"tree": tree}, SHOP)
    assert watch.renewal is not None
    [kept] = watch.renewal._calls
    assert len(str(kept)) < 30_000
    assert str(kept.call.result).count("1") < 2500


def broken(*_: object) -> None:
    raise RuntimeError("can't start new thread")


@pytest.mark.parametrize(
    "place", ["threading.Thread.start", "outcome_monitors.events.renewal.Renewal.in_sight"]
)
def test_a_receipt_is_given_though_nothing_can_be_learned(place, monkeypatch, caplog):
    monkeypatch.setattr(place, broken)
    outcome = watching("get_order").conversation().look("get_order", {}, {"total": -1}, SHOP)
    assert outcome.receipt is not None
    assert "can't start new thread" in caplog.text


def test_of_a_long_run_stretches_are_kept_each_as_a_run_of_its_own():
    watch = watching()
    conversation = watch.conversation("long")
    for n in range(1000):
        conversation.look("get_order", {"n": n}, {"total": 1}, SHOP)
    assert watch.renewal is not None
    kept = [(kept.call.arguments["n"], kept.run) for kept in watch.renewal._calls]
    assert [n for n, _ in kept] == [*range(250), *range(400, 450), *range(800, 850)]
    assert [run for _, run in kept] == ["long"] * 250 + ["long 1"] * 50 + ["long 2"] * 50


def test_relations_are_made_ever_more_seldom(monkeypatch):
    monkeypatch.setattr("outcome_monitors.events.renewal.MOST_CALLS", 20)
    watch = watching()
    made = set()
    for n in range(80):
        conversation = watch.conversation(f"c{n}")
        for _ in range(5):
            conversation.look("get_order", {}, {"total": 1}, ["get_order"])
            settled(watch)
            assert watch.renewal is not None
            made.add(watch.renewal.thread)
    # At the first call, since the tool is new, then at the 21st, 42nd, 84th and so on: not for each 20 that are held.
    assert len(made) == 6


def test_what_would_be_gone_before_relations_are_made_again_is_not_kept(monkeypatch):
    monkeypatch.setattr("outcome_monitors.events.renewal.MOST_CALLS", 10)
    watch = watching()
    assert watch.renewal is not None
    kept = set()
    for n in range(41):
        watch.conversation(f"c{n}").look("get_order", {"n": n}, {"total": 1}, ["get_order"])
        settled(watch)
        kept |= {call.call.arguments["n"] for call in watch.renewal._calls}
    # Relations are made at the twentieth call and at the fortieth, of ten calls each.
    assert kept == {*range(10, 20), *range(30, 40)}
