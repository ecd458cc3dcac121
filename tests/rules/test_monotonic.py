"""`monotonic`: counts and times do not run backwards."""

from hypothesis import given, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry
from outcome_monitors.model import Violation
from outcome_monitors.rules.config import CONFIG
from tests.rules.sessions import run, suggested


def read_twice(number, first, second, *, field="version", between="change_order"):
    """Return the calls of one session: an order is read, written and read again."""
    asked = {"order_id": f"W{number:04}"}
    return run(
        number,
        ("get_order", asked, {**asked, field: first}),
        (between, asked, {"done": True}),
        ("get_order", asked, {**asked, field: second}),
    )


def fields(*sessions):
    found = suggested("monotonic", sessions, "get_order")
    return [(candidate.clause.params["key"], candidate.clause.params["field"]) for candidate in found]


RISING = [(".order_id", ".version"), ("@", ".version")]


def test_a_number_that_only_rises_is_found_over_writes_and_without_them():
    assert fields(*(read_twice(n, n % 9, n % 9 + 1) for n in range(20))) == RISING
    assert fields(*(read_twice(n, n % 9, n % 9 + 1, between="get_user") for n in range(20))) == RISING


def test_what_stays_or_falls_is_not():
    assert fields(*(read_twice(n, 5, 5) for n in range(20))) == []
    assert fields(*(read_twice(n, 5, 6 if n % 5 else 4) for n in range(20))) == []


def test_few_calls_or_one_task_show_nothing():
    assert fields(*(read_twice(n, 1, 2) for n in range(CONFIG.monotonic_steps - 1))) == []
    assert fields(*(read_twice(n, 1, 2) for n in range(CONFIG.monotonic_steps))) == RISING
    asked = {"order_id": "W1"}
    alone = run(0, *(("get_order", asked, {**asked, "version": n}) for n in range(30)))
    assert fields(alone) == []


ASKED = {"order_id": "W7777"}


def order(version):
    return {**ASKED, "version": version}


def watching(key, field=".version", *tools):
    clause = Clause("monotonic", "", {"key": key, "field": field}, 20, 20, "traces")
    return Monitor(Registry({tool: Contract(tool, (clause,)) for tool in tools or ("get_order",)})).session()


def test_what_runs_backwards_is_flagged_until_it_goes_on():
    session = watching(".order_id")
    for version in (3, 3, 5):
        assert session.check("get_order", ASKED, order(version)) == ()
        session.check("change_order", ASKED, {"done": True})
    (violation,) = session.check("get_order", ASKED, order(4))
    assert violation == Violation(
        "ran_backwards",
        "version",
        "not below 5",
        4,
        "version is below what this session heard before for the same order_id",
        tasks=20,
    )
    assert session.check("get_order", ASKED, order(5)) == ()
    assert session.check("get_order", ASKED, order(6)) == ()


def test_another_record_has_another_height_and_so_has_another_order_of_the_same_user():
    mine = {"user_id": "u1"}
    for key in (".order_id", ".user_id", "?", "@"):
        session = watching(key, ".at")
        session.check("get_order", ASKED, {**ASKED, **mine, "at": "2026-03-05"})
        other = {"order_id": "W8888"}
        assert session.check("get_order", other, {**other, **mine, "at": "2026-03-01"}) == ()
    for key in (".order_id", ".user_id", "@"):
        session = watching(key, ".at")
        session.check("get_order", ASKED, {**ASKED, **mine, "at": "2026-03-05"})
        assert session.check("get_order", ASKED, {**ASKED, **mine, "at": "2026-03-01"}) != ()


@given(st.lists(st.one_of(st.integers(-50, 50), st.floats(-50, 50)), min_size=1, max_size=12))
def test_it_is_flagged_exactly_where_it_is_below_all_that_stood(versions):
    session = watching(".order_id")
    flagged = [session.check("get_order", ASKED, order(version)) != () for version in versions]
    assert flagged == [v < max(versions[:n], default=v) for n, v in enumerate(versions)]
