"""What agents did next."""

from hypothesis import given, strategies as st

from outcome_monitors.events import CLEAN, FLAGGED
from outcome_monitors_server.report import Observation
from outcome_monitors_server.report.tally import AGAIN, LISTED, NOTHING, OTHER, UNKNOWN, Followups
from tests.reports.team.observations import alarm


def _counts(*observations: Observation, told: bool | None = None) -> dict[str, int]:
    found = Followups()
    for seen in observations:
        found.add(seen)
    return {deed: number for deed, number in found.counts[told].items() if number}


def test_each_deed():
    first = alarm(session="a")
    assert _counts(first, Observation("get_order", CLEAN, session="a")) == {AGAIN: 1}
    assert _counts(first, Observation("find_order", CLEAN, session="a")) == {LISTED: 1}
    assert _counts(first, Observation("send_mail", CLEAN, session="a")) == {OTHER: 1}
    assert _counts(first, Observation("get_order", CLEAN, session="b")) == {NOTHING: 1}
    assert _counts(first) == {NOTHING: 1}
    assert _counts(alarm(), Observation("get_order", CLEAN)) == {UNKNOWN: 1}


def test_an_alarm_that_follows_an_alarm_counts_as_both():
    assert _counts(alarm(session="a"), alarm(session="a")) == {AGAIN: 1, NOTHING: 1}


def test_those_who_were_told_are_counted_apart():
    seen = (alarm(session="a", told=True), Observation("find_order", CLEAN, session="a"))
    assert _counts(*seen) == {}
    assert _counts(*seen, told=True) == {LISTED: 1}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["get_order", "find_order", "x"]),
            st.booleans(),
            st.sampled_from(["a", "b", None]),
        )
    )
)
def test_every_alarm_is_followed_by_exactly_one_deed(calls):
    seen = [
        alarm(tool, session=session) if bad else Observation(tool, CLEAN, session=session)
        for tool, bad, session in calls
    ]
    assert sum(_counts(*seen).values()) == sum(each.outcome == FLAGGED for each in seen)
