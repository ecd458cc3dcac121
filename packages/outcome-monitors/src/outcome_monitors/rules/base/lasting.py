"""What may be said of a thing for good: what it is, and not how it stands just now.

Groups are the records that share a key, where more than one task showed it.
"""

from typing import Any

from outcome_monitors.evidence.table import Column, Table, set_of
from outcome_monitors.records.feature import Feature, Sort
from outcome_monitors.records.features import ABSENT
from outcome_monitors.records.state import is_moment, is_state
from outcome_monitors.values.times import when
from outcome_monitors.values.types import is_number

__all__ = ["LEAST_ASKED", "counts_asked_for", "has_times", "lasts", "of_moments"]

LEAST_ASKED = 5
"""Calls behind each answer to a question, on the average, for the number of its rows to be no accident of the day."""
MOST_STILL = 0.8
"""Of the keys that were read again, the share with another time: above it, the time is that of the reading."""


def lasts(feature: Feature, table: Table) -> bool:
    """Say whether what a key comes with may be what it is, rather than how it stands just now.

    That is a field which is no status, no count and no time. A list as a whole, how long it is and what it sums up to are state.
    """
    if feature.sort is not Sort.FIELD or is_moment(feature.path):
        return False
    state = is_state(feature.path) and not _is_region(feature, table)
    return not state and not has_times(feature, table)


def has_times(feature: Feature, table: Table) -> bool:
    """Say whether a feature is a date or a time in any record."""
    values = table.universe.table.columns[feature].values
    times = table.universe.once(
        ("times", feature),
        lambda: set_of((row for row, value in enumerate(values) if when(value) is not None), len(values)),
    )
    return bool(times & table.here)


def _is_region(feature: Feature, table: Table) -> bool:
    """Say whether a `state` is the one that a city is in."""
    place, _, name = feature.rpartition("state")
    return bool(place) and not name and any(f"{place}{other}" in table.columns for other in ("city", "zip"))


def of_moments(table: Table, groups: list[list[int]]) -> bool:
    """Say whether records tell of the moment they were read in: a time in them is another one each time."""
    times = [
        column.values
        for name, column in table.columns.items()
        if name.sort is Sort.FIELD and has_times(name, table)
    ]
    return any(
        sum(_moves(values, records) for records in groups) > MOST_STILL * len(groups) for values in times
    )


def _moves(values: list[Any], records: list[int]) -> bool:
    return len({values[index] for index in records}) > 1


def counts_asked_for(table: Table, groups: list[list[int]]) -> list[Feature]:
    """Return the numbers of rows that the caller sets a limit to, where each question was asked often."""
    calls = sum(table.witnesses[index].calls for records in groups for index in records)
    if calls < LEAST_ASKED * len(groups):
        return []
    counts = [name for name in table.columns if name.sort is Sort.NUMBER and _varies(table.columns[name])]
    limits = [name for name in table.columns if name.sort is Sort.ARGUMENT]
    return [count for count in counts if any(_limits(table, limit, count) for limit in limits)]


def _varies(column: Column) -> bool:
    return len({*column.values} - {ABSENT}) > 1


def _limits(table: Table, limit: Feature, count: Feature) -> bool:
    """Say whether an argument is never below a number of rows, and sometimes that number."""
    asked, found = table.columns[limit].values, table.columns[count].values
    pairs = [(n, rows) for n, rows in zip(asked, found, strict=True) if is_number(n) and is_number(rows)]
    return any(n == rows > 1 for n, rows in pairs) and all(n >= rows for n, rows in pairs)
