"""A result that is another tool's."""

import pytest
from hypothesis import given

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.checking.forms import CODE, ContractForms, MisroutedResponse
from tests.rest import thing, traffic
from tests.strategies import json_values


def flight(number):
    return {
        "flight_no": f"XY{number}",
        "gate": f"B{number % 40}",
        "departs": f"2026-03-{number % 28 + 1:02}",
        "seats": number,
    }


def hotel(number):
    return {"hotel_id": f"H{number}", "stars": number % 5 + 1, "city": f"City {number}", "rooms": number + 1}


CALLS = [
    *(Call("get_flight", {"n": n}, flight(n), task=f"f{n}") for n in range(30)),
    *(Call("get_hotel", {"n": n}, hotel(n), task=f"h{n}") for n in range(30)),
    *(Call("list_flights", {"n": n}, [flight(n), flight(n + 1)], task=f"l{n}") for n in range(30)),
]
LEARNED = mine(CALLS, "full")
MONITOR = Monitor(LEARNED)


def test_a_flight_for_a_hotel_is_named_first():
    first, *rest = MONITOR.check("get_hotel", {"n": 3}, flight(3))
    assert first.code == CODE
    assert first.path == ""
    assert "the fields of get_flight" in first.detail
    assert first.expected == "city, hotel_id, rooms, stars"
    assert first.observed == "departs, flight_no, gate, seats"
    assert CODE not in {violation.code for violation in rest}
    assert "missing_learned_field" in {violation.code for violation in rest}


def test_rows_are_known_by_their_fields():
    codes = [violation.code for violation in MONITOR.check("list_flights", {"n": 3}, [hotel(3), hotel(4)])]
    assert codes[0] == CODE


@pytest.mark.parametrize(
    "result",
    [
        {},
        {"moon": 1, "sun": 2, "star": 3},
        {"flight_no": "XY1", "gate": "B1"},
        {**hotel(3), **flight(3)},
        "a flight",
        None,
        [],
    ],
    ids=["empty", "nobody's", "too few fields", "both", "text", "null", "no rows"],
)
def test_what_is_nobodys_or_may_be_its_own_is_not_another_tools(result):
    assert CODE not in {violation.code for violation in MONITOR.check("get_hotel", {"n": 3}, result)}


def test_a_contract_that_demands_nothing_asks_all_the_same():
    clauses = {tool: contract for tool, contract in LEARNED.contracts.items() if tool != "get_hotel"}
    weak = LEARNED.contracts["get_hotel"]
    lax = type(weak)(
        "get_hotel", tuple(clause for clause in weak.clauses if clause.path and clause.kind == "type")
    )
    monitor = Monitor(Registry({**clauses, "get_hotel": lax}, "full"))
    assert [violation.code for violation in monitor.check("get_hotel", {}, flight(3))] == [CODE]
    assert monitor.check("get_hotel", {}, hotel(3)) == ()


def test_the_papers_profile_says_what_the_paper_says():
    monitor = Monitor(mine(CALLS, "paper"))
    assert CODE not in {violation.code for violation in monitor.check("get_hotel", {"n": 3}, flight(3))}


def test_things_of_different_endpoints_differ():
    monitor = Monitor(mine(traffic(), "full"))
    nobodys = monitor.check("GET /albums/{id}", {"id": 3}, {**flight(3), "id": 3})
    assert CODE not in {violation.code for violation in nobodys}
    first, *_ = monitor.check("GET /albums/{id}", {"id": 3}, thing("badge", 3))
    assert first.code == CODE
    assert (first.expected, first.observed) == (
        "album_code, album_note, album_size",
        "badge_code, badge_note, badge_size",
    )


@given(json_values)
def test_any_result_can_be_checked_for_misrouting(result):
    MisroutedResponse(ContractForms(LEARNED.contracts)).misrouted("get_hotel", result)
