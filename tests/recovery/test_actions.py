"""What a receipt lists: the published list, and the safe one."""

from collections.abc import Collection, Mapping

import pytest

from outcome_monitors import Monitor, Registry, Relations
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


def test_a_write_that_may_be_repeated_is_offered_after_the_reads_that_show_it():
    given = Relations(SHOP, checks=SHOP.checks, effects={"pay_order": AGAIN, "submit_payment": AGAIN})
    assert offered("pay_order", given, ALL) == ("get_payment", "get_order", "pay_order")


NEEDS_A_CITY = Relations(effects={"hotels": READS}, needed={"hotels": ["city"]})


def _flagged_twice(clause: Clause, result: Mapping[str, object]) -> Mapping[str, object]:
    """Return what is offered where a second call with the same arguments was flagged, too."""
    contracts = Registry({"hotels": Contract("hotels", (clause,))}, "full")
    session = Monitor(contracts, NEEDS_A_CITY, encoder="note").session()
    asked = {"city": "Paris", "stars": 5, "near": "river"}
    for _ in range(2):
        advised = session.advise("hotels", asked, result, ["hotels"])
    [action] = advised["outcome_contract"]["admissible_recovery_actions"]
    return dict(action)


def test_where_calling_again_has_failed_the_same_tool_is_offered_with_fewer_arguments():
    assert _flagged_twice(POSITIVE, {"price": -1, "city": "Rome"}) == {
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
    assert _flagged_twice(clause, {"near": "sea"})["arguments"] == {"city": "Paris", "stars": 5}


def test_a_tool_with_the_same_fault_in_its_last_result_is_not_offered():
    relations = Relations.declared({"get_stock": ["fetch_stock", "read_stock"], "fetch_stock": ["get_stock"]})
    monitor = Monitor(registry("get_stock", "fetch_stock"), relations, listing="safe")
    visible = ["get_stock", "fetch_stock", "read_stock"]
    session, wrong, fine = monitor.session(), {"symbol": "S1", "price": -1.0}, {"symbol": "S1", "price": 2.0}

    def offered(tool: str) -> list[str]:
        advised = session.advise(tool, {"symbol": "S1"}, wrong, visible)
        return list(advised["outcome_contract"]["admissible_recovery_tools"])

    assert offered("get_stock") == ["get_stock", "fetch_stock", "read_stock"]
    assert offered("fetch_stock") == ["fetch_stock"]
    assert offered("get_stock") == ["read_stock"]
    assert session.advise("fetch_stock", {"symbol": "S1"}, fine, visible) is fine
    assert offered("get_stock") == ["fetch_stock", "read_stock"]
    session.advise("fetch_stock", {"symbol": "S2"}, wrong, visible)
    assert offered("get_stock") == ["fetch_stock", "read_stock"]


def test_what_stands_in_for_a_read_is_offered_unless_it_is_known_to_write():
    given = Relations.declared({"get_stock": ["price", "charge_card", "quote_it"]})
    assert offered("get_stock", given, ["price", "charge_card", "quote_it"]) == (
        "get_stock",
        "price",
        "quote_it",
    )


def test_a_list_is_short_and_best_first():
    listed = Relations({"get_a": [Relation(f"t{n}", 0.9 - n / 100, "signature", "") for n in range(9)]})
    assert offered("get_a", listed, {f"t{n}" for n in range(9)}) == ("get_a", "t0", "t1")


def test_where_words_or_a_place_were_asked_for_the_argument_to_change_is_named():
    monitor = Monitor(registry("find_pages"), Relations(effects={"find_pages": READS}), encoder="note")
    session, asked = monitor.session(), {"query": "red shoes", "page_id": "P-1"}
    first, second = (
        session.advise("find_pages", asked, {"price": -1}, ["find_pages"])["outcome_contract"]
        for _ in range(2)
    )
    [again], [changed] = (one["admissible_recovery_actions"] for one in (first, second))
    assert again["why"] == "the same call again, or with another `query`"
    assert (changed["why"], changed["arguments"]) == ("the same with another `query`", None)
    assert first["note"].endswith('find_pages(query="red shoes", page_id="P-1"), or with another query.')
    assert second["note"].endswith("Calls that can be made now: find_pages with another query.")


def test_the_calls_of_a_sentence_stay_short():
    relations = Relations.declared({"get_page": [f"read_page_{'x' * 60}_{n}" for n in range(3)]})
    visible = {"get_page", *(one.tool for one in relations["get_page"])}
    monitor = Monitor(registry("get_page"), relations, encoder="note")
    receipt = monitor.advise("get_page", {"url": f"https://a.example/{'y' * 50}"}, {"price": -1}, visible)
    calls = receipt["outcome_contract"]["note"].partition("Calls that can be made now: ")[2]
    assert 0 < len(calls) <= 201
    assert len(receipt["outcome_contract"]["admissible_recovery_actions"]) == 3


@pytest.mark.parametrize(
    ("answer", "kind", "made"),
    [
        ({"order_id": "O-7"}, "string", {"order_id": "O-7"}),
        ({"order": {"id": "O-7"}}, "string", {"order_id": "O-7"}),
        ({"orders": [{"id": "O-7"}]}, "string", {"order_id": "O-7"}),
        ({"orders": [{"id": "O-7"}, {"id": "O-8"}]}, "string", None),
        ({"order_id": 7}, "string", None),
        ({"order_id": "O-7"}, "enum:O-1|O-2", None),
        ({"query": "O-7"}, "string", None),
    ],
)
def test_what_another_call_needs_is_taken_from_an_earlier_answer_where_it_fits(answer, kind, made):
    relations = Relations.declared({"get_total": ["read_invoice"]})
    needed = Relations(effects={"get_total": READS}, needed={"read_invoice": {"order_id": kind}})
    session = Monitor(registry("get_total"), relations.merge(needed), encoder="note").session()
    visible = ["get_total", "read_invoice"]
    assert session.advise("last_order", {}, answer, visible) is answer
    receipt = session.advise("get_total", {}, {"price": -1}, visible)["outcome_contract"]
    assert receipt["admissible_recovery_actions"][1]["arguments"] == made
    assert ("read_invoice(order_id)" in receipt["note"]) is (made is None)


def test_a_call_that_lacks_what_its_tool_needs_is_offered_by_name():
    stands_in = Relation("find_trade", 0.9, "declared", "", {"symbol": "ticker"})
    needed = {"find_trade": {"ticker": "string", "day": "string"}}
    monitor = Monitor(
        registry("get_stock"), Relations({"get_stock": [stands_in]}, needed=needed), encoder="note"
    )
    asked, visible = {"symbol": "NOVA"}, ["get_stock", "find_trade"]
    receipt = monitor.advise("get_stock", asked, {"price": -1}, visible)["outcome_contract"]
    assert [one["arguments"] for one in receipt["admissible_recovery_actions"]] == [asked, None]


@pytest.mark.parametrize(("name", "made"), [("title", {"title": "Bitcoin"}), ("id", None)])
def test_an_argument_of_the_same_name_is_handed_on_unless_it_means_something_else_to_each_tool(name, made):
    relations = Relations.declared({"get_facts": ["get_article"]})
    needed = Relations(effects={"get_facts": READS}, needed={"get_article": {name: "string"}})
    monitor = Monitor(registry("get_facts"), relations.merge(needed), encoder="note")
    visible = ["get_facts", "get_article"]
    receipt = monitor.advise("get_facts", {name: "Bitcoin"}, {"price": -1}, visible)["outcome_contract"]
    assert receipt["admissible_recovery_actions"][1]["arguments"] == made
