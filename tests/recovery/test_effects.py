"""What calling a tool does, who says so, and what a receipt then offers."""

from collections.abc import Collection

import pytest

from outcome_monitors import Call, Monitor, Relations, mine
from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.mining import Sources, build
from outcome_monitors.recovery.relations import safe
from outcome_monitors.recovery.tools import from_openapi
from tests.recovery.mining.examples import tool, tools


def offered(tool: str, relations: Relations, visible: Collection[str]) -> tuple[str, ...]:
    return tuple(action.tool for action in safe(tool, relations, visible))


SAID = [
    (tool("purge", hints={"readOnlyHint": True}), (False, True, "annotation")),
    (tool("get_it", hints={"readOnlyHint": False, "idempotentHint": True}), (True, True, "annotation")),
    (tool("get_order"), (False, True, "name")),
    (tool("query_logs"), (False, True, "name")),
    (tool("place_codes", "Give the codes of a place."), (True, None, "name")),
    (tool("codes", "List the codes of a place."), (False, True, "description")),
    (tool("DELETE /pets/{id}"), (True, True, "http method")),
    (tool("frob"), None),
]


@pytest.mark.parametrize(("entry", "effect"), SAID, ids=range(len(SAID)))
def test_who_says_what_a_tool_does(entry, effect):
    found = build(Sources(tools=tools(entry))).effects.get(entry["name"])
    assert effect == (found and (found.writes, found.idempotent, found.source))


def from_source(source: str, *, writes: bool) -> Effect:
    return Effect(writes=writes, idempotent=None if writes else True, source=source)


def changes_across(frob: str) -> list[Call]:
    """Return two runs in which what a read says changes across a call."""
    return [
        call
        for n in range(2)
        for call in (
            Call("get_door", {"door": "D-1"}, {"open": False}, session=f"s{n}"),
            Call(frob, {"door": "D-1"}, {}, session=f"s{n}"),
            Call("get_door", {"door": "D-1"}, {"open": True}, session=f"s{n}"),
        )
    ]


READ_ONLY, POST = {"annotations": {"readOnlyHint": True}}, {"method": "POST"}
ORDER = [
    ("frob", READ_ONLY | POST, True, from_source("annotation", writes=False)),
    ("frob", POST, False, Effect(writes=True, idempotent=False, source="http method")),
    ("frob", {"method": "GET"}, True, from_source("http method", writes=False)),
    ("frob", {}, False, from_source("declared", writes=False)),
    ("cancel_it", {}, None, from_source("traces", writes=True)),
]


@pytest.mark.parametrize(("name", "said", "declared", "effect"), ORDER, ids=range(len(ORDER)))
def test_annotations_count_before_methods_declarations_traces_and_the_name(name, said, declared, effect):
    declarations = {} if declared is None else {name: from_source("declared", writes=declared)}
    built = build(Sources(tools=tools(tool(name) | said), calls=changes_across(name), effects=declarations))
    assert built.effects[name] == effect
    assert built.effect(name) == effect
    assert built.may_write(name) is effect.writes


def test_a_description_that_any_tool_could_have_does_not_make_it_a_read():
    described = tools(
        tool("zap_user", "Returns the state of the user."),
        tool("return_items", "Return some items of an order."),
        tool("lookup_and_charge", "Look up a price and charge it."),
        tool("opening_hours", "Get the hours of a shop and cafes nearby."),
        tool("archives", "Fetch a page, saving it."),
    )
    assert build(Sources(tools=described)).effects == {
        "lookup_and_charge": from_source("name", writes=True),
        "opening_hours": from_source("description", writes=False),
        "return_items": from_source("name", writes=True),
    }


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


def test_traces_overrule_a_name_that_reads():
    waiting = iter([5, 5, 5, 4, 3])

    def length() -> Call:
        return Call("get_queue", {}, {"waiting": next(waiting)}, session="s")

    taken = Call("get_next", {}, {"ticket": "T-1"}, session="s")
    calls = [length(), length(), length(), taken, length(), taken, length()]
    assert build(Sources(calls=calls)).effects["get_next"] == from_source("traces", writes=True)


def _orders() -> list[Call]:
    calls = []
    for n in range(6):
        customer, order = {"customer_id": f"C-{n}"}, {"order_id": f"O-{n}", "total": n + 0.5}
        calls += [
            Call("place_order", customer, order, session=f"s{n}"),
            Call("get_order", {"order_id": f"O-{n}"}, order, session=f"s{n}"),
            Call("list_orders", customer, {"orders": [f"O-{n}"]}, session=f"s{n}"),
        ]
    return calls


def test_after_a_write_only_reads_are_offered_that_show_whether_it_took_effect():
    calls = _orders()
    built = build(Sources(calls=calls)).merge(Relations.declared({"place_order": ["submit_order"]}))
    monitor = Monitor(mine(calls, "paper"), built, encoder="note", listing="safe")
    visible = ["place_order", "submit_order", "get_order", "list_orders", "send_mail"]
    wrong = {"order_id": "O-2", "total": -4.0}
    receipt = monitor.advise("place_order", {"customer_id": "C-2"}, wrong, visible)["outcome_contract"]
    assert receipt["retry"].startswith("do not call it again")
    assert {action["tool"]: action["arguments"] for action in receipt["admissible_recovery_actions"]} == {
        "list_orders": {"customer_id": "C-2"},
        "get_order": {"order_id": "O-2"},
    }


WRITES = """
    cancel_order send_mail delete_file book_flight update_issue capture_payment check_out_cart return_delivered_order_items
    follow_user refund_order charge_card wire_money
"""


@pytest.mark.parametrize("tool", WRITES.split())
def test_a_write_is_never_offered_again_even_where_only_its_name_is_known(tool):
    assert offered(tool, Relations(), [tool, "get_order"]) == ()


def test_a_read_that_changes_by_itself_shows_nothing():
    clock = iter(range(9))

    def now() -> Call:
        return Call("get_clock", {}, {"seconds": next(clock)}, session="s")

    frob = Call("frob", {}, {}, session="s")
    built = build(Sources(calls=[now(), now(), frob, now(), frob, now()]))
    assert "frob" not in built.effects
