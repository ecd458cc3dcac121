"""`length`: of texts and of lists; what was never empty stays so."""

import itertools

import pytest

from outcome_monitors.rules import explain
from outcome_monitors.rules.config import CONFIG
from tests.rules.values import MANY, candidates, clause, flags, of, passes

TEXTS = [f"{number:06}" + "a" * (number % 5) for number in range(MANY)]
LISTS = [[0] * (3 + number % 4) for number in range(MANY)]
TEXT = clause("length", {"room": "wide", "of": "text", "least": 2, "most": 9})
LIST = clause("length", {"room": "wide", "of": "list", "least": 1, "most": 3})


@pytest.mark.parametrize(("values", "of_what"), [(TEXTS, "text"), (LISTS, "list")])
def test_each_room_is_suggested_narrowest_first_and_holds_all_that_was_seen(values, of_what):
    found = [each.clause.params for each in candidates("length", of(*values))]
    assert [(params["of"], params["room"]) for params in found] == [
        (of_what, room) for room in CONFIG.range_rooms
    ]
    for inner, outer in itertools.pairwise(found):
        assert outer["least"] <= inner["least"]
        assert inner["most"] < outer["most"]
    assert (1 if of_what == "text" else 0) <= found[0]["least"] <= min(map(len, values))
    assert max(map(len, values)) + CONFIG.length_spare[of_what] <= found[0]["most"]


def test_a_text_that_is_cut_off_or_swollen_is_flagged_by_its_length():
    detail = "field x is far shorter or longer than in clean results"
    assert flags(TEXT, {"x": "a" * 10}) == [
        ("unusual_length", "x", "2 to 9 characters", "10 characters", detail)
    ]
    assert flags(TEXT, {"x": ""})[0][3] == "0 characters"
    assert explain(TEXT) == "x has 2 to 9 characters"


def test_the_bounds_are_within_and_other_types_are_not_judged():
    assert passes(TEXT, "ab", "a" * 9, None, 7, [], {})
    assert passes(LIST, [1], [1, 2, 3], None, 7, "", {})


def test_a_text_that_was_never_empty_stays_so():
    never, twice = candidates("length", of(*TEXTS)), candidates("length", of(*TEXTS, "", ""))
    assert never
    assert twice
    assert all(each.clause.params["least"] >= 1 for each in never)
    assert all(each.clause.params["least"] == 0 for each in twice)
