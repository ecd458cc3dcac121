"""What is counted for the page: what agents did next, and when results were."""

from datetime import UTC, datetime

from hypothesis import given, settings, strategies as st

from outcome_monitors.events import CLEAN, FLAGGED
from outcome_monitors_server.report import Observation
from outcome_monitors_server.report.tally import (
    AGAIN,
    LISTED,
    MOST_STEPS,
    NOTHING,
    OTHER,
    UNKNOWN,
    Followups,
    Timeline,
)
from tests.reports.team.observations import alarm


def deeds(*observations: Observation, told: bool | None = None) -> dict[str, int]:
    found = Followups()
    for seen in observations:
        found.add(seen)
    return {deed: number for deed, number in found.counts[told].items() if number}


def test_each_deed():
    first = alarm(session="a")
    assert deeds(first, Observation("get_order", CLEAN, session="a")) == {AGAIN: 1}
    assert deeds(first, Observation("find_order", CLEAN, session="a")) == {LISTED: 1}
    assert deeds(first, Observation("send_mail", CLEAN, session="a")) == {OTHER: 1}
    assert deeds(first, Observation("get_order", CLEAN, session="b")) == {NOTHING: 1}
    assert deeds(alarm(), Observation("get_order", CLEAN)) == {UNKNOWN: 1}
    # One that follows an alarm counts as both, and those who were told are counted apart.
    assert deeds(first, first) == {AGAIN: 1, NOTHING: 1}
    told = (alarm(session="a", told=True), Observation("find_order", CLEAN, session="a"))
    assert (deeds(*told), deeds(*told, told=True)) == ({}, {LISTED: 1})


@given(
    st.lists(
        st.tuples(st.sampled_from(["get_order", "find_order"]), st.booleans(), st.sampled_from(["a", None]))
    )
)
def test_every_alarm_is_followed_by_exactly_one_deed(calls):
    seen = [
        alarm(tool, session=session) if bad else Observation(tool, CLEAN, session=session)
        for tool, bad, session in calls
    ]
    assert sum(deeds(*seen).values()) == sum(each.outcome == FLAGGED for each in seen)


def timeline(times: list[datetime]) -> Timeline:
    made = Timeline()
    for number, time in enumerate(times):
        made.add(time, flagged=not number)
    return made


@settings(max_examples=40)
@given(st.lists(st.datetimes(timezones=st.just(UTC))))
def test_nothing_is_lost_and_the_steps_are_few(times):
    _, steps, outside = timeline(times).steps()
    assert len(steps) <= MOST_STEPS
    assert sum(step.seen for step in steps) + outside == len(times)
    assert [step.begin for step in steps] == sorted({step.begin for step in steps})
