"""What a receipt lists: the published list, and the safe one."""

from collections.abc import Collection, Mapping

import pytest

from outcome_monitors import Call, Monitor, Registry, Relations, mine
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Clause, Contract
from outcome_monitors.recovery.effects import Effect
from outcome_monitors.recovery.relations import Relation, safe

POSITIVE = Clause("positive", "price", {}, samples=9, tasks=9, source="traces")
AGAIN = Effect(writes=True, idempotent=True, source="annotation")
READS = Effect(writes=False, idempotent=True, source="annotation")


def registry(*tools: str, profile: str = "full") -> Registry:
    return Registry({tool: Contract(tool, (POSITIVE,)) for tool in tools}, profile)


def offered(
    tool: str, relations: Relations, visible: Collection[str], arguments: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    found = safe(tool, relations, visible, arguments={} if arguments is None else arguments)
    return tuple(action.tool for action in found)


SHOP = Relations(
    {
        "pay_order": [
            Relation("submit_payment", 0.9, "declared", ""),
            Relation("get_payment", 0.8, "declared", ""),
        ]
    },
    checks={"pay_order": [Relation("get_order", 0.9, "check", "")]},
)
ALL = ["pay_order", "submit_payment", "get_payment", "get_order"]


@pytest.mark.parametrize(
    ("profile", "listed"),
    [("paper", ["pay_order", "submit_payment", "get_payment"]), ("full", ["get_payment", "get_order"])],
)
def test_profile_paper_has_the_published_list_and_all_else_the_safe_one(profile, listed):
    monitor = Monitor(registry("pay_order", profile=profile), SHOP)
    advised = monitor.advise("pay_order", {}, {"price": -1}, ALL)
    assert advised["outcome_contract"]["admissible_recovery_tools"] == listed


def test_the_list_can_be_chosen():
    monitor = Monitor(registry("pay_order", profile="paper"), SHOP, listing="safe")
    advised = monitor.advise("pay_order", {}, {"price": -1}, ALL)
    assert advised["outcome_contract"]["admissible_recovery_tools"] == ["get_payment", "get_order"]
    with pytest.raises(OutcomeMonitorsError, match="list"):
        Monitor(registry("pay_order"), listing="any")  # type: ignore[arg-type]  # what is refused


def test_a_write_that_may_be_repeated_is_offered_after_the_reads_that_show_it():
    given = Relations(SHOP, checks=SHOP.checks, effects={"pay_order": AGAIN, "submit_payment": AGAIN})
    assert offered("pay_order", given, ALL) == ("get_payment", "get_order", "pay_order")


def _flagged(session, tool, arguments, visible):
    advised = session.advise(tool, arguments, {"price": -1}, visible)
    return list(advised["outcome_contract"]["admissible_recovery_tools"])


def test_a_substitute_has_failed_only_for_the_same_arguments():
    given = Relations.declared({"get_order": ["find_order"]})
    session = Monitor(registry("get_order", "find_order"), given).session()
    visible = ["get_order", "find_order"]
    _flagged(session, "find_order", {"number": "1"}, visible)
    assert _flagged(session, "get_order", {"id": "1", "expand": True}, visible) == ["get_order"]
    assert _flagged(session, "get_order", {"id": "2"}, visible) == ["get_order", "find_order"]


NEEDS_A_CITY = Relations(effects={"hotels": READS}, needed={"hotels": ["city"]})


def _flagged_twice(clause: Clause, arguments: Mapping[str, object]) -> list[Mapping[str, object]]:
    contracts = Registry({"hotels": Contract("hotels", (clause,))}, "full")
    session = Monitor(contracts, NEEDS_A_CITY, encoder="note").session()
    for _ in range(2):
        advised = session.advise("hotels", arguments, {"price": -1, "city": "Rome"}, ["hotels"])
    return list(advised["outcome_contract"]["admissible_recovery_actions"])


def test_where_calling_again_has_failed_the_same_tool_is_offered_with_fewer_arguments():
    asked = {"city": "Paris", "stars": 5, "near": "river"}
    [action] = _flagged_twice(POSITIVE, asked)
    assert action == {
        "tool": "hotels",
        "arguments": {"city": "Paris"},
        "why": "the same without `stars`, `near`",
    }


NEAR = [
    Clause("echo", "near", {"argument": "near"}, samples=9, tasks=9, source="traces"),
    Clause("fields_equal", "", {"first": "@near", "second": ".near"}, samples=9, tasks=9, source="traces"),
]


@pytest.mark.parametrize("clause", NEAR, ids=["by its name", "as a feature of the call"])
def test_of_the_arguments_only_those_at_fault_are_left_out(clause):
    contracts = Registry({"hotels": Contract("hotels", (clause,))}, "full")
    session = Monitor(contracts, NEEDS_A_CITY, encoder="note").session()
    asked = {"city": "Paris", "stars": 5, "near": "river"}
    for _ in range(2):
        advised = session.advise("hotels", asked, {"near": "sea"}, ["hotels"])
    [action] = advised["outcome_contract"]["admissible_recovery_actions"]
    assert action["arguments"] == {"city": "Paris", "stars": 5}


def _shares() -> tuple[Monitor, list[str]]:
    calls = [
        Call(tool, {"symbol": f"S{n}"}, {"symbol": f"S{n}", "price": n + 1.5})
        for n in range(6)
        for tool in ("get_stock", "fetch_stock")
    ]
    relations = Relations.declared({"get_stock": ["fetch_stock", "read_stock"], "fetch_stock": ["get_stock"]})
    return Monitor(mine(calls, "paper"), relations, listing="safe"), [
        "get_stock",
        "fetch_stock",
        "read_stock",
    ]


def test_a_tool_with_the_same_fault_in_its_last_result_is_not_offered():
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
