"""`time`: which texts are times that exist, how they are learned, and how much room is left for tomorrow."""

import time
from datetime import date

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors.rules.config import CONFIG
from outcome_monitors.rules.time import LAYOUTS
from tests.rules.values import MANY, breaks, candidates, clause, flags, of, only, passes, task

DAYS = [f"2026-{1 + number % 12:02}-{1 + number % 28:02}" for number in range(MANY)]
BOUNDS = {"low": "2006-01-01", "high": "2046-12-31"}
DATE, MOMENT, CLOCK = (clause("time", {"layout": layout, **BOUNDS}) for layout in LAYOUTS)


@pytest.mark.parametrize(
    ("found", "right", "wrong"),
    [
        (
            DATE,
            ["2026-02-28", "2024-02-29", "2006-01-01", "2046-12-31"],
            ["2026-02-29", "2026-13-01", "2026-6-1", "1926-03-01", "2126-03-01", "01/03/2026", "", "soon"],
        ),
        (
            MOMENT,
            [
                "2026-03-01T10:00:00Z",
                "2026-03-01 10:00:00",
                "2026-03-01T10:00",
                "2026-03-01T10:00:00.123+02:00",
                "2046-12-30T23:59:59",
            ],
            [
                "2026-03-01T25:00:00Z",
                "2026-03-01T10:61:00Z",
                "2026-02-30T10:00:00",
                "2026-03-01",
                "1026-03-01T10:00",
            ],
        ),
        (
            CLOCK,
            ["00:00", "23:59", "10:30:59", "10:30:59.5"],
            ["24:00", "34:10", "10:60", "9:30", "10", "10:30 "],
        ),
    ],
)
def test_each_layout_has_times_and_others(found, right, wrong):
    assert passes(found, *right)
    assert breaks(found, *wrong)


@pytest.mark.parametrize(
    ("layout", "make"),
    [
        ("date", "{}"),
        ("moment", "{}T10:30:00Z"),
        ("moment", "{} 10:30"),
        ("moment", "{}T10:30:00.250+02:00"),
    ],
)
def test_the_layout_that_all_texts_have_is_suggested(layout, make):
    found = only("time", of(*(make.format(day) for day in DAYS)))
    assert found.clause.params["layout"] == layout
    assert found.fired == {}


def test_there_is_room_for_decades_and_for_as_much_again_as_was_seen():
    found = only("time", of(*DAYS)).clause
    low, high = (date.fromisoformat(found.params[bound]) for bound in ("low", "high"))
    assert date.fromisoformat(min(DAYS)) - low == high - date.fromisoformat(max(DAYS)) == CONFIG.time_room
    far = only("time", of(*[f"{1950 + number}-01-01" for number in range(60)])).clause
    assert passes(far, "1892-01-01", "2067-01-01")
    assert breaks(far, "1890-01-01", "2069-01-01")


def test_one_odd_task_in_many_is_dirt_and_in_few_it_is_data():
    found = only("time", of(*DAYS, "2026-06-31"))
    assert found.fired == {task(MANY): 1}
    assert breaks(found.clause, "2026-06-31")
    assert not candidates("time", of(*DAYS[: CONFIG.label_noise_tasks - 2], "2026-06-31"))


@pytest.mark.parametrize("size", [10, 19, 200_000])
@pytest.mark.parametrize("piece", ["2026-03-01", "1", "10:", "T", "2026-03-01T10:00:00."])
def test_hostile_text_costs_no_time(piece, size):
    text = (piece * size)[:size]
    for found in (DATE, MOMENT, CLOCK):
        started = time.process_time()
        flags(found, {"x": text})
        assert time.process_time() - started < 1


@given(st.dates(), st.sampled_from(["{}", "{}T10:30:00Z", "{} 10:30:00"]))
@settings(max_examples=100, deadline=None)
def test_any_day_is_within_exactly_where_its_bounds_have_it(day, make):
    layout = "date" if make == "{}" else "moment"
    within = BOUNDS["low"] <= day.isoformat() < BOUNDS["high"]
    found = clause("time", {"layout": layout, **BOUNDS})
    if day.isoformat() != BOUNDS["high"]:
        assert passes(found, make.format(day.isoformat())) is within
