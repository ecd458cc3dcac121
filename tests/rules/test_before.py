"""`before`: one number or time is never above another."""

import random

import pytest

from outcome_monitors.rules.config import CONFIG
from tests.rules.relations import Row, clause, flags, params, suggested

SOURCE = random.Random(3)
DAYS = [(day, SOURCE.randrange(day, 29)) for day in range(1, 28)] * 2


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


STAY = clause("before", first=".start", second=".end")


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
    enough: list[Row] = [({}, {low: a, high: b}) for a, b in DAYS[: CONFIG.before_pairs_by_name]]
    [found] = suggested("before", enough)
    assert found.clause.params == {"first": f".{low}", "second": f".{high}"}
    assert found.trusted
    assert params("before", enough[1:]) == []
    assert not any(c.trusted for c in suggested("before", [({}, {high: a, low: b}) for a, b in DAYS]))
