"""The few questions that every rule asks of a value."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from hypothesis import given, strategies as st

from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.times import PLAIN, comparable, when
from tests.strategies import json_values


@given(json_values)
def test_what_is_shown_is_short_printable_and_json(value):
    shown = clip(value)
    text = json.dumps(shown, allow_nan=False)
    assert len(text) < 600
    assert not isinstance(shown, str) or shown.isprintable()


def test_dates_are_read_in_full_layouts_only():
    assert when("2026-03-01") == datetime(2026, 3, 1)
    assert when("2026-03-01T10:00:00Z") == datetime(2026, 3, 1, 10, tzinfo=UTC)
    for text in (
        "12",
        "May",
        "2026",
        "20260301",
        "2026-W10-1",
        "2026-03-01T1030",
        "2026-03-01T10:00+02",
        20260301,
        None,
    ):
        assert when(text) is None


zones: Any = (
    st.none() | st.just(UTC) | st.integers(-12, 12).map(lambda hours: timezone(timedelta(hours=hours)))
)
moments = st.datetimes(
    min_value=datetime(2026, 1, 1),
    max_value=datetime(2026, 1, 3),
    timezones=zones,
).flatmap(
    lambda moment: st.sampled_from(
        [
            moment.isoformat(),
            moment.isoformat(" "),
            moment.isoformat(timespec="minutes"),
            moment.isoformat(timespec="seconds"),
        ]
    )
)
written = (
    moments
    | moments.map(lambda text: text.replace("+00:00", "Z"))
    | st.dates(date(2026, 1, 1), date(2026, 1, 3)).map(str)
)


@given(written, written)
def test_texts_that_agree_in_layout_are_in_order_as_times_when_they_are_in_order_as_texts(first, second):
    start, end = when(first), when(second)
    if start is None or end is None or not comparable(start, end):
        return
    if first <= second and first[10::9] == second[10::9] and first[10::9] in PLAIN:
        assert start <= end
