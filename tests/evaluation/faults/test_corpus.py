from outcome_monitors.evaluation.faults import Corpus
from outcome_monitors.evaluation.faults.places import walk
from outcome_monitors.evaluation.faults.regularities import sums_in
from outcome_monitors.model import Call
from tests.evaluation.faults.examples import CALLS, CORPUS, ORDERS


def calls(*results: object, tool: str = "t") -> list[Call]:
    return [Call(tool, {"n": number}, result) for number, result in enumerate(results)]


def test_a_field_is_always_there_only_if_no_object_lacks_it():
    corpus = Corpus.of(calls({"a": 1, "b": 1}, {"a": 2}, {"a": 3, "b": 3}))
    assert corpus.presence.always("t", "") == {"a"}
    assert Corpus.of(calls({"a": 1})).presence.always("t", "") == frozenset()


def test_times_are_ordered_only_if_never_the_other_way_round():
    def pair(start: str, end: str) -> dict[str, str]:
        return {"start": start, "end": end}

    always = calls(*(pair("2026-01-01", f"2026-01-0{day}") for day in (2, 3, 4)))
    assert Corpus.of(always).orders.ordered("t", "") == [("start", "end")]
    broken = [*always, *calls(pair("2026-02-01", "2026-01-01"))]
    assert Corpus.of(broken).orders.ordered("t", "") == []


def test_sort_keys_hold_in_every_list_that_could_break_them():
    def rows(*values: int) -> list[dict[str, int]]:
        return [{"n": value, "same": 1} for value in values]

    assert Corpus.of(calls(rows(1, 2, 3), rows(4, 5, 9), rows(1, 1, 2))).sorting.sort_keys("t", "") == {"n"}
    assert Corpus.of(calls(rows(3, 2, 1), rows(4, 3, 2), rows(9, 1, 0))).sorting.sort_keys("t", "") == {"n"}
    assert (
        Corpus.of(calls(rows(1, 2, 3), rows(4, 5, 9), rows(3, 1, 2), rows(1, 2, 3))).sorting.sort_keys(
            "t", ""
        )
        == set()
    )


def test_sums_are_found_and_known():
    found = next(sums_in(walk(ORDERS["#W1001"])))
    assert (found.total.place, found.rows.place, found.key) == (("amount",), ("items",), "price")
    assert CORPUS.sums.holds("get_order", found)
    assert not Corpus.of([]).sums.holds("get_order", found)


def test_attributes_of_an_id_are_constant_until_one_changes():
    thing = {"item_id": "7", "name": "Lamp", "price": 3}
    corpus = Corpus.of(calls([thing], {"x": thing}, [{**thing, "price": 4}]))
    node = walk(thing)[0]
    assert corpus.entities.constant("t", node) == ["name"]
    assert corpus.entities.constant("t", walk({**thing, "item_id": "8"})[0]) == []


def test_a_bare_id_names_something_at_its_own_place_only():
    corpus = Corpus.of(calls({"user": {"id": 1, "name": "Ana"}}, {"user": {"id": 1, "name": "Ana"}, "x": 1}))
    user = walk({"user": {"id": 1, "name": "Ana"}})[1]
    assert corpus.entities.constant("t", user) == ["name"]
    assert corpus.entities.constant("other", user) == []


def test_impossible_neighbours_were_never_seen_together():
    wrong = set(CORPUS.companions.impossible(ORDERS["#W1001"]["address"]))
    assert ("currency", "JPY") in wrong
    assert ("currency", "EUR") not in wrong


def test_answers_are_those_of_a_question_asked_again():
    assert CORPUS.answers("get_order", {"order_id": "#W1001"}) == ()
    both = CORPUS.answers("get_order", {"order_id": "#W1003"})
    assert [order["address"]["city"] for order in both] == ["Porto", "Braga"]


def test_calls_that_failed_openly_teach_nothing():
    failed = [Call("t", {}, {"error": "no"}, error=True)]
    assert Corpus.of(failed).tools == ()


def test_each_tool_keeps_its_calls_by_question():
    assert [call.arguments["order_id"] for call in CORPUS.calls("get_order")] == list(ORDERS)
    assert CORPUS.tools[:2] == ("get_order", "set_city")
    assert len(CALLS) == 18
