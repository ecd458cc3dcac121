"""What calling a tool does, who says so, and what a receipt then offers."""

from collections.abc import Collection

import pytest

from outcome_monitors import Call, Monitor, Relations, mine
from outcome_monitors.recovery.mining import Sources, build
from outcome_monitors.recovery.mining.openapi import from_openapi
from outcome_monitors.recovery.relations import Effect, Relation, admissible
from tests.recovery.mining.examples import tool, tools


def offered(tool: str, relations: Relations, visible: Collection[str]) -> tuple[str, ...]:
    return tuple(action.tool for action in admissible(tool, relations, visible))


SAID = [
    (tool("purge", hints={"readOnlyHint": True}), Effect(writes=False, idempotent=True, source="annotation")),
    (
        tool("get_it", hints={"readOnlyHint": False, "idempotentHint": True}),
        Effect(writes=True, idempotent=True, source="annotation"),
    ),
    (
        tool("frob", hints={"destructiveHint": True}),
        Effect(writes=True, idempotent=None, source="annotation"),
    ),
    (tool("get_order"), Effect(writes=False, idempotent=True, source="name")),
    (tool("slack_post_message"), Effect(writes=True, idempotent=None, source="name")),
    (tool("place_codes", "Give the codes of a place."), Effect(writes=False, idempotent=True, source="name")),
    (tool("frob"), None),
]


@pytest.mark.parametrize(("entry", "effect"), SAID, ids=range(len(SAID)))
def test_who_says_what_a_tool_does(entry, effect):
    assert build(Sources(tools=tools(entry))).effects.get(entry["name"]) == effect


def test_the_http_method_says_what_an_operation_does():
    document = {
        "paths": {"/pets": {"get": {"operationId": "pets"}, "post": {"operationId": "newPet"}, "put": {}}}
    }
    found = build(Sources(tools=from_openapi(document, "api.json"))).effects
    assert {name: (effect.writes, effect.idempotent, effect.source) for name, effect in found.items()} == {
        "pets": (False, True, "http method"),
        "newPet": (True, False, "http method"),
        "PUT /pets": (True, True, "http method"),
    }


def test_a_tool_across_which_a_read_changes_writes():
    calls = [
        call
        for n in range(2)
        for call in (
            Call("get_door", {"door": "D-1"}, {"open": False}, session=f"s{n}"),
            Call("frob", {"door": "D-1"}, {}, session=f"s{n}"),
            Call("get_door", {"door": "D-1"}, {"open": True}, session=f"s{n}"),
        )
    ]
    assert build(Sources(calls=calls)).effects["frob"] == Effect(
        writes=True, idempotent=None, source="traces"
    )


def _orders() -> list[Call]:
    return [
        call
        for n in range(6)
        for call in (
            Call(
                "place_order",
                {"customer_id": f"C-{n}"},
                {"order_id": f"O-{n}", "total": n + 0.5},
                session=f"s{n}",
            ),
            Call(
                "get_order", {"order_id": f"O-{n}"}, {"order_id": f"O-{n}", "total": n + 0.5}, session=f"s{n}"
            ),
            Call("list_orders", {"customer_id": f"C-{n}"}, {"orders": [f"O-{n}"]}, session=f"s{n}"),
        )
    ]


def test_after_a_write_only_reads_are_offered_that_show_whether_it_took_effect():
    calls = _orders()
    built = build(Sources(calls=calls)).merge(Relations.declared({"place_order": ["submit_order"]}))
    monitor = Monitor(mine(calls, "paper"), built, encoder="v3")
    visible = ["place_order", "submit_order", "get_order", "list_orders", "send_mail"]
    wrong = {"order_id": "O-2", "total": -4.0}
    receipt = monitor.advise("place_order", {"customer_id": "C-2"}, wrong, visible)["outcome_contract"]
    assert receipt["retry"].startswith("do not call it again")
    assert {action["tool"]: action["arguments"] for action in receipt["admissible_recovery_actions"]} == {
        "list_orders": {"customer_id": "C-2"},
        "get_order": {"order_id": "O-2"},
    }


@pytest.mark.parametrize("tool", ["cancel_order", "send_mail", "delete_file", "book_flight", "update_issue"])
def test_a_write_is_never_offered_again_even_where_only_its_name_is_known(tool):
    assert offered(tool, Relations(), [tool, "get_order"]) == ()


@pytest.mark.parametrize("tool", ["get_order", "weather_report", "frob"])
def test_what_reads_or_is_not_known_is_offered_first(tool):
    assert offered(tool, Relations(), [tool]) == (tool,)


def test_a_list_is_short_and_best_first():
    listed = [Relation(f"t{n}", 0.9 - n / 100, "signature", "") for n in range(9)]
    relations = Relations({"get_a": listed})
    assert offered("get_a", relations, {f"t{n}" for n in range(9)}) == (
        "get_a",
        "t0",
        "t1",
        "t2",
        "t3",
    )


def _shares() -> tuple[Monitor, list[str]]:
    calls = [
        Call(tool, {"symbol": f"S{n}"}, {"symbol": f"S{n}", "price": n + 1.5})
        for n in range(6)
        for tool in ("get_stock", "fetch_stock")
    ]
    relations = Relations.declared({"get_stock": ["fetch_stock", "read_stock"], "fetch_stock": ["get_stock"]})
    return Monitor(mine(calls, "paper"), relations), ["get_stock", "fetch_stock", "read_stock"]


def test_a_tool_whose_own_last_result_had_the_same_fault_is_not_offered():
    monitor, visible = _shares()
    session, wrong, fine = monitor.session(), {"symbol": "S1", "price": -1.0}, {"symbol": "S1", "price": 2.0}

    def offered(tool: str) -> list[str]:
        advised = session.advise(tool, {"symbol": "S1"}, wrong, visible)
        return list(advised["outcome_contract"]["admissible_recovery_tools"])

    assert offered("get_stock") == ["get_stock", "fetch_stock", "read_stock"]
    assert offered("fetch_stock") == ["fetch_stock"]
    assert offered("get_stock") == ["read_stock"]
    assert session.advise("fetch_stock", {"symbol": "S1"}, fine, visible) is fine
    assert offered("get_stock") == ["fetch_stock", "read_stock"]


def test_another_fault_does_not_bar_a_tool():
    monitor, visible = _shares()
    session = monitor.session()
    session.advise("fetch_stock", {"symbol": "S1"}, {"symbol": "S1", "price": -1.0}, visible)
    advised = session.advise("get_stock", {"symbol": "S1"}, {"symbol": "S2", "price": 1.0}, visible)
    assert "fetch_stock" in advised["outcome_contract"]["admissible_recovery_tools"]
