"""`before`: one number or time is never above another."""

import random
from typing import Any

import pytest

from outcome_monitors import Clause, Contract
from outcome_monitors.checking.compiled import compile_contract
from outcome_monitors.model import Violation
from outcome_monitors.rules import evaluate, explain
from outcome_monitors.rules.before import (
    LEAST_PAIRS,
    LEAST_PAIRS_BY_NAME,
    LEAST_TASKS,
    LEAST_TASKS_APART,
    MOST_BROKEN,
    MOST_FEATURES,
    _by_name,
)
from tests.rules.relations import Row, by_chance, clause, flags, params, suggested

SOURCE = random.Random(3)
DAYS = [(day, SOURCE.randrange(day, 29)) for day in range(1, 28)] * 2
MANY = int(1 / MOST_BROKEN) + 20


def date(day):
    return f"2026-03-{day:02}"


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([({}, {"low": a, "high": b}) for a, b in DAYS], ".low .high"),
        ([({}, {"from": date(a), "to": date(b)}) for a, b in DAYS], ".from .to"),
        (
            [({}, {"from": f"{date(a)}T10:00:00Z", "to": f"{date(b)}T09:00:00-03:00"}) for a, b in DAYS],
            ".from .to",
        ),
        (
            [({}, {"opens": f"{a % 24:02}:30", "shuts": f"{a % 24:02}:{30 + b}"}) for a, b in DAYS],
            ".opens .shuts",
        ),
        ([({"limit": b}, {"rows": [0] * a}) for a, b in DAYS], "#rows @limit"),
        ([({"since": date(a)}, {"day": date(b)}) for a, b in DAYS], "@since .day"),
    ],
)
def test_numbers_days_and_clocks_in_order_are_found(rows, expected):
    first, second = expected.split()
    assert {"first": first, "second": second} in params("before", rows)
    assert {"first": second, "second": first} not in params("before", rows)


@pytest.mark.parametrize(
    ("one", "other", "few"),
    [("weight", "price", False), ("free_bags", "all_bags", True), ("low", "high", True)],
)
def test_numbers_without_a_word_in_common_take_many_tasks(one, other, few):
    rows: list[Row] = [({}, {one: a, other: b}) for a, b in DAYS]
    found = {"first": f".{one}", "second": f".{other}"}
    assert found in params("before", rows)
    assert (found in params("before", rows[: LEAST_TASKS_APART - 1])) is few


def test_times_of_different_things_take_many_tasks():
    rows: list[Row] = [({}, {"shut_at": date(a), "base": {"seen_at": date(b)}}) for a, b in DAYS]
    found = {"first": ".shut_at", "second": ".base.seen_at"}
    assert found in params("before", rows)
    assert found not in params("before", rows[: LEAST_TASKS_APART - 1])


STAY = clause("before", first=".start", second=".end")


def test_an_end_before_its_start_is_flagged():
    assert flags(STAY, {"start": date(1), "end": date(1)}) == []
    assert flags(STAY, {"start": date(2), "end": date(1)}) == [
        Violation(
            "order_broken",
            "",
            "start not above end",
            f"start '{date(2)}', end '{date(1)}'",
            "start and end do not agree",
        )
    ]
    assert explain(STAY) == "start is not above end"


def test_the_fault_is_in_the_answer_not_in_the_argument():
    limit = clause("before", first="#rows", second="@limit")
    (broken,) = flags(limit, {"rows": [1, 2, 3]}, {"limit": 2})
    assert (broken.path, broken.observed) == ("rows", "3 and 2")
    assert broken.detail == "the number of rows is above the argument limit"


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("2026-03-02T10:00:00Z", "2026-03-02T10:30:00+01:00"),
        ("11:00", "10:59"),
        ("11:00:01", "11:00:00"),
        (3, 2.5),
    ],
)
def test_what_is_out_of_order(start, end):
    assert flags(STAY, {"start": start, "end": end})
    assert not flags(STAY, {"start": end, "end": start})


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (date(2), None),
        (None, None),
        (date(2), 1),
        ("soon", "later"),
        ("b", "a"),
        (True, False),
        ("2026-03-02T10:00:00Z", "2026-03-01T10:00:00"),
        ("11:00 AM", "10:00 PM"),
        ("11:00:00", "10:00"),
    ],
)
def test_what_cannot_be_compared_is_not_judged(start, end):
    assert flags(STAY, {"start": start, "end": end}) == []


def test_an_order_that_chance_explains_is_none():
    # No value of one column is near the other: shuffled, they are in order too.
    assert params("before", [({}, {"year": 2000 + a, "age": b}) for a, b in DAYS]) == []
    # Equal columns are the business of another kind.
    assert params("before", [({}, {"a": a, "b": a}) for a, _ in DAYS]) == []


def test_few_pairs_show_nothing():
    few = min(LEAST_PAIRS, LEAST_TASKS) - 1
    assert params("before", [({}, {"one": a, "other": b}) for a, b in DAYS[:few]]) == []
    assert params("before", [({}, {"one": 1, "other": 20}), ({}, {"one": 19, "other": 25})] * 20) == []


@pytest.mark.parametrize(
    ("low", "high"),
    [
        ("start", "end"),
        ("startDate", "endDate"),
        ("price_min", "price_max"),
        ("check_in", "check_out"),
        ("created_at", "updated_at"),
        ("departure_time", "arrival_time"),
    ],
)
def test_of_names_that_say_it_few_pairs_are_enough_and_no_trials_are_needed(low, high):
    enough: list[Row] = [({}, {low: a, high: b}) for a, b in DAYS[:LEAST_PAIRS_BY_NAME]]
    [found] = suggested("before", enough)
    assert found.clause.params == {"first": f".{low}", "second": f".{high}"}
    assert found.trusted
    assert params("before", enough[1:]) == []
    assert not any(c.trusted for c in suggested("before", [({}, {high: a, low: b}) for a, b in DAYS]))


@pytest.mark.parametrize(
    ("first", "second"), [("start", "bend"), ("restart", "end"), ("start_of_a", "end_of_b"), ("min", "min")]
)
def test_names_that_only_look_like_it_say_nothing(first, second):
    assert not _by_name(f".{first}", f".{second}")


def test_one_pair_out_of_order_takes_the_trust_away():
    rows: list[Row] = [({}, {"start": i, "end": i + i % 9 + 1}) for i in range(MANY)]
    [found] = suggested("before", [*rows, ({}, {"start": 9, "end": 3})])
    assert found.trusted is None


def test_of_two_with_one_noun_a_surprise_a_task_is_enough():
    """They may be compared: the free and the total baggage."""
    some = [(1, 2), (2, 5), (3, 4), (5, 6), (4, 5), (1, 1)]
    assert params("before", [({}, {"free_bags": a, "total_bags": b}) for a, b in some])
    assert params("before", [({}, {"free_seats": a, "total_bags": b}) for a, b in some]) == []


def test_one_odd_task_does_not_hide_the_rule_and_is_not_learned():
    rows: list[Row] = [({}, {"low": i, "high": i + SOURCE.randrange(1, 30)}) for i in range(MANY)]
    (candidate,) = suggested("before", [*rows, ({}, {"low": 9, "high": 3})])
    assert candidate.clause.params == {"first": ".low", "second": ".high"}
    assert len(candidate.fired) == 1
    assert flags(candidate.clause, {"low": 9, "high": 3})


def test_columns_that_have_nothing_to_do_with_each_other_give_nothing():
    def make(source):
        return {"limit": source.randrange(40)}, {
            "a": source.randrange(40),
            "b": source.random() * 40,
            "day": date(source.randrange(1, 28)),
            "other": date(source.randrange(1, 28)),
            "rows": [1] * source.randrange(40),
        }

    assert by_chance(make, "before") == []


def test_what_grows_with_the_width_of_a_record_is_bounded():
    rows: list[Row] = [({}, {f"f{i:03}": a + i * b for i in range(3 * MOST_FEATURES)}) for a, b in DAYS]
    named = {name for c in suggested("before", rows) for name in c.clause.params.values()}
    assert 0 < len(named) <= MOST_FEATURES


def contract(*more, form="0000-00-00A00:00:00A"):
    of_each: dict[str, dict[str, Any]] = {
        "type": {"kinds": ["string"]},
        "required": {},
        "time": {"layout": "moment", "low": "2006-03-01", "high": "2046-03-01"},
        "form": {"reading": "classes", "forms": [form]},
    }
    fields = [Clause(kind, name, params, 1, 1, "traces") for name in "ab" for kind, params in of_each.items()]
    return Contract("t", (Clause("type", "", {"kinds": ["object"]}, 1, 1, "traces"), *fields, *more))


@pytest.mark.parametrize("order", [("first", "second"), ("second", "first")])
@pytest.mark.parametrize(
    ("early", "late"),
    [
        ("2026-03-01T10:00:00Z", "2026-03-01T10:00:01Z"),
        ("2024-02-29T10:00:00Z", "2024-03-01T10:00:00Z"),
        ("2026-03-01A10:00:00Z", "2026-03-01Q09:00:00Z"),
        ("2024-02-29A10:00:00Z", "2024-02-29Q09:00:00Z"),
    ],
)
def test_times_of_one_form_are_compared_as_texts(early, late, order):
    """Texts are in the order of times only where the same letter stands between day and clock."""
    sides = {"first": ".a", "second": ".b"}
    before = Clause("before", "", {name: sides[name] for name in order}, 1, 1, "traces")
    surely = compile_contract(contract(before))
    for a, b in ((early, late), (late, early)):
        broken = list(evaluate([before], {}, {"a": a, "b": b}))
        assert not (broken and surely({}, {"a": a, "b": b}))
    assert surely({}, {"a": early, "b": late}) is ("T" in early)


@pytest.mark.parametrize("pair", [(1, 2), (2, 1), (1.5, 2), (float("nan"), 1), (1, float("nan")), (7, 7)])
def test_numbers_are_compared_as_they_are(pair):
    before = clause("before", first=".a", second=".b")
    kinds = [Clause("type", name, {"kinds": ["integer", "number"]}, 1, 1, "traces") for name in "ab"]
    kinds += [Clause("required", name, {}, 1, 1, "traces") for name in "ab"]
    result = dict(zip("ab", pair, strict=True))
    clean = not list(evaluate([before], {}, result))
    assert compile_contract(Contract("t", (*kinds, before)))({}, result) is clean
    rows = [Clause(each.kind, f"[].{each.path}", each.params, 1, 1, "traces") for each in kinds]
    rows.append(clause("before", "[]", first=".a", second=".b"))
    assert compile_contract(Contract("t", tuple(rows)))({}, [result] * 3) is clean
