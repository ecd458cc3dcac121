"""The few questions that every rule asks of a value."""

from datetime import UTC, datetime

from outcome_monitors.jsonvalue.times import when


def test_dates_are_read_in_full_layouts_only():
    assert when("2026-03-01") == datetime(2026, 3, 1)
    assert when("2026-03-01T10:00:00Z") == datetime(2026, 3, 1, 10, tzinfo=UTC)
    for text in ("12", "May", "2026", "20260301", "2026-W10-1", "2026-03-01T1030", 20260301, None):
        assert when(text) is None
