"""Rows of a store: however many are written by one statement, each is what `row_of` makes of its event, and stands in its place."""

import math
import sqlite3
from contextlib import closing

from hypothesis import given, settings, strategies as st

from outcome_monitors.events import Event, Payload
from outcome_monitors.events.insertion import AT_ONCE, insert
from outcome_monitors.events.rows import TABLE, escaped_row, row_of
from outcome_monitors.model import Violation

BROKEN = Violation("unseen_category", "status", "one of 3", "lost", "not one of 3")
NAMES = st.text(max_size=3) | st.just("\ud800") | st.none()
EVENTS = st.tuples(
    st.floats(),
    NAMES,
    st.text(max_size=3) | st.just("\ud800"),
    st.sampled_from(["clean", "flagged", "not_checked"]),
    st.sampled_from([(), (), (BROKEN,)]),
    st.sampled_from([None, {}, {"a": 1}]),
    st.booleans(),
    st.floats(0, 1),
    st.sampled_from(["", "", "why"]),
    st.sampled_from([None, None, Payload("{}", "[]")]),
).map(lambda fields: Event(*fields))
BARE = NAMES.map(lambda session: Event(1.0, session, "t", "clean"))
MANY = st.lists(EVENTS | BARE, max_size=5)


def stored(events):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(TABLE)
        escaped = insert(connection, events)
        return escaped, connection.execute("SELECT * FROM events ORDER BY id").fetchall()


def expected(event):
    """Return the row of an event by itself, and whether it has one only in an escaped form."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(TABLE)
        try:
            found = row_of(event)
            connection.execute(f"INSERT INTO events VALUES (NULL{', ?' * 11})", found)
        except (sqlite3.Error, UnicodeError):
            return escaped_row(event), True
        return found, False


@settings(max_examples=60, deadline=None)
@given(MANY, st.integers(0, 2 * AT_ONCE + 1))
def test_each_row_is_that_of_its_event_in_the_order_in_which_they_came(events, more):
    events = [*events, *(Event(float(n), "s", "get_order", "clean", duration=n / 7) for n in range(more))]
    wanted = [expected(event) for event in events]
    escaped, rows = stored(events)
    assert [row[1:] for row in rows] == [row for row, _ in wanted]
    assert escaped == (sum(odd for _, odd in wanted))


def test_one_that_has_no_form_among_many_costs_itself_alone():
    events = [Event(float(n), "s", "\ud800" if n == AT_ONCE else "t", "clean") for n in range(2 * AT_ONCE)]
    escaped, rows = stored([*events, Event(math.nan, "s", "t", "clean")])
    assert escaped == 2
    assert [row[0] for row in rows] == list(range(1, 2 * AT_ONCE + 2))
