"""`length`: of texts and of lists; what was never empty stays so."""

import itertools

import pytest

from outcome_monitors.exceptions import ContractError
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.base.support import NOISE_FROM_TASKS
from outcome_monitors.rules.length import LEAST_TASKS, SPARE
from outcome_monitors.rules.range import ROOMS
from tests.rules.values import MANY, breaks, candidates, clause, evidence, flags, of, passes, task

TEXTS = [f"{number:06}" + "a" * (number % 5) for number in range(MANY)]
LISTS = [[0] * (3 + number % 4) for number in range(MANY)]
TEXT = clause("length", {"room": "wide", "of": "text", "least": 2, "most": 9})
LIST = clause("length", {"room": "wide", "of": "list", "least": 1, "most": 3})


@pytest.mark.parametrize(("values", "of_what"), [(TEXTS, "text"), (LISTS, "list")])
def test_each_room_is_suggested_narrowest_first_and_holds_all_that_was_seen(values, of_what):
    found = [each.clause.params for each in candidates("length", of(*values))]
    assert [(params["of"], params["room"]) for params in found] == [(of_what, room) for room in ROOMS]
    for inner, outer in itertools.pairwise(found):
        assert outer["least"] <= inner["least"]
        assert inner["most"] < outer["most"]
    assert (1 if of_what == "text" else 0) <= found[0]["least"] <= min(map(len, values))
    assert max(map(len, values)) + SPARE[of_what] <= found[0]["most"]


def test_a_text_that_is_cut_off_or_swollen_is_flagged_by_its_length():
    detail = "field x is far shorter or longer than in clean results"
    assert flags(TEXT, {"x": "a" * 10}) == [
        ("unusual_length", "x", "2 to 9 characters", "10 characters", detail)
    ]
    assert flags(TEXT, {"x": ""})[0][3] == "0 characters"
    assert explain(TEXT) == "x has 2 to 9 characters"


def test_a_list_that_is_empty_or_swollen_is_flagged_by_its_length():
    detail = "field x is far shorter or longer than in clean results"
    assert flags(LIST, {"x": []}) == [("unusual_length", "x", "1 to 3 items", "0 items", detail)]
    assert breaks(LIST, [1, 2, 3, 4])
    whole = clause("length", LIST.params, "")
    assert explain(whole) == "(the result) has 1 to 3 items"
    assert flags(whole, [])[0][4] == "field (the result) is far shorter or longer than in clean results"


def test_the_bounds_are_within_and_other_types_are_not_judged():
    assert passes(TEXT, "ab", "a" * 9, None, 7, [], {})
    assert passes(LIST, [1], [1, 2, 3], None, 7, "", {})


def test_a_text_that_was_never_empty_stays_so():
    never, twice = candidates("length", of(*TEXTS)), candidates("length", of(*TEXTS, "", ""))
    assert never
    assert twice
    assert all(each.clause.params["least"] >= 1 for each in never)
    assert all(each.clause.params["least"] == 0 for each in twice)


def test_how_few_rows_there_may_be_is_not_said():
    assert {each.clause.params["least"] for each in candidates("length", of(*LISTS))} == {0}


@pytest.mark.parametrize(("values", "odd"), [(TEXTS, "a" * 5000), (LISTS, [0] * 5000)])
def test_one_odd_task_in_many_is_dirt(values, odd):
    clean, dirty = candidates("length", of(*values)), candidates("length", of(*values, odd))
    assert [each.clause.params for each in dirty] == [each.clause.params for each in clean]
    assert [each.fired for each in dirty] == [{task(MANY): 1}] * len(ROOMS)


def test_one_odd_task_in_few_is_admitted_and_named():
    assert LEAST_TASKS < NOISE_FROM_TASKS
    for each in candidates("length", of(*LISTS[:LEAST_TASKS], [0] * 5000)):
        assert each.clause.params["most"] > 5000
        assert each.fired == {task(LEAST_TASKS): 1}


def test_the_length_of_the_result_itself_is_learned():
    assert [each.clause.params["of"] for each in candidates("length", evidence(*LISTS), "")] == [
        "list" for _ in ROOMS
    ]


def test_a_text_too_long_to_be_kept_counts_with_all_its_characters():
    found = candidates("length", of(*(f"{number:03}{'a' * 99_997}" for number in range(MANY))))
    assert found
    for each in found:
        assert each.clause.params["least"] <= 100_000 <= each.clause.params["most"]


def test_too_few_tasks_suggest_nothing():
    assert not candidates("length", of(*TEXTS[: LEAST_TASKS - 1]))
    assert not candidates("length", of(*range(MANY)))


def test_fires_names_the_tasks_of_other_evidence_that_are_outside():
    assert KINDS["length"].fires(TEXT, of("abc", "", "a" * 10, [], 3)) == {task(1): 1, task(2): 1}
    assert KINDS["length"].fires(LIST, of("abc", "", [1], [], [1] * 4)) == {task(3): 1, task(4): 1}
    assert KINDS["length"].fires(clause("length", LIST.params, "elsewhere"), of([])) == {}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("room", "roomy"),
        ("room", []),
        ("of", "object"),
        ("of", {}),
        ("least", -1),
        ("least", 1.0),
        ("most", "9"),
    ],
)
def test_wrong_parameters_are_refused(name, value):
    with pytest.raises(ContractError, match=f"parameter '{name}' of kind 'length'"):
        KINDS["length"].validate({**TEXT.params, name: value}, "here")
