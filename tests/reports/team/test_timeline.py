"""Steps of time."""

import doctest
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings, strategies as st

from outcome_monitors_server.report import observation
from outcome_monitors_server.report.observation import read_time
from outcome_monitors_server.report.timeline import MOST_STEPS, Timeline
from tests.reports.team.observations import BEGIN


def _timeline(times: list[datetime]) -> Timeline:
    found = Timeline()
    for place, time in enumerate(times):
        found.add(time, flagged=place % 2 == 0)
    return found


def test_the_examples_of_the_docstrings():
    assert doctest.testmod(observation).failed == 0


def test_the_unit_fits_the_range():
    for length, name in (
        (timedelta(minutes=20), "minute"),
        (timedelta(hours=20), "hour"),
        (timedelta(days=20), "day"),
        (timedelta(days=150), "week"),
        (timedelta(days=900), "month"),
        (timedelta(days=9000), "year"),
    ):
        unit, steps, outside = _timeline([BEGIN, BEGIN + length]).steps()
        assert (unit.name, outside) == (name, 0)
        assert (steps[0].seen, steps[0].flagged, steps[-1].seen) == (1, 1, 1)


def test_a_clock_that_is_wrong_does_not_decide_on_the_unit():
    usual = [BEGIN + timedelta(minutes=n) for n in range(600)]
    unit, steps, outside = _timeline([datetime(1970, 1, 1, tzinfo=UTC), *usual]).steps()
    assert unit.name == "hour"
    assert outside == 1
    assert sum(step.seen for step in steps) == 600


@settings(max_examples=40)
@given(st.lists(st.datetimes(timezones=st.just(UTC))))
def test_nothing_is_lost_and_the_steps_are_few(times):
    _, steps, outside = _timeline(times).steps()
    assert len(steps) <= MOST_STEPS
    assert sum(step.seen for step in steps) + outside == len(times)
    assert [step.begin for step in steps] == sorted({step.begin for step in steps})


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers()))
def test_what_is_no_time_is_none(value):
    found = read_time(value)
    assert found is None or found.tzinfo == UTC
