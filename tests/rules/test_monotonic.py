"""`monotonic`: counts and times do not run backwards."""

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry, mine
from outcome_monitors.exceptions import ContractError
from outcome_monitors.model import Violation
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.monotonic import LEAST_STEPS
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


def test_times_are_compared_as_times():
    early, late = "2026-03-01T23:30:00+02:00", "2026-03-01T22:45:00+00:00"
    assert fields(*(read_twice(n, early, late, field="at") for n in range(20))) == [
        (".order_id", ".at"),
        ("@", ".at"),
    ]
    assert fields(*(read_twice(n, late, early, field="at") for n in range(20))) == []


def test_from_call_to_call_only_ids_and_times_count():
    def sent(number):
        answers = ({"message_id": number + n, "words": 5 * n, "at": f"2026-03-0{n}"} for n in (1, 2, 3))
        return run(number, *(("send_message", {"text": str(answer)}, answer) for answer in answers))

    found = suggested("monotonic", [sent(n) for n in range(20)], "send_message")
    assert [candidate.clause.params for candidate in found] == [
        {"key": "?", "field": ".at"},
        {"key": "?", "field": ".message_id"},
    ]


def test_what_stays_or_falls_is_not():
    assert fields(*(read_twice(n, 5, 5) for n in range(20))) == []
    assert fields(*(read_twice(n, 5, 6 if n % 5 else 4) for n in range(20))) == []


@pytest.mark.parametrize("pair", [(True, False), ("a", "b"), ("v-1", "v-2"), (None, 5), (1.0, float("nan"))])
def test_what_has_no_order_is_not(pair):
    assert fields(*(read_twice(n, *pair) for n in range(20))) == []


DAYS = ("2026-03-01", "2026-03-02", "2026-03-03")


def test_what_the_caller_named_is_not():
    def paged(number):
        return run(
            number,
            *(("list_orders", {"page": page}, {"page": page, "total": 40}) for page in (1, 2, 3)),
        )

    def since(number):
        return run(
            number,
            *(("list_orders", {"since": day}, {"since": day, "total": 40}) for day in DAYS),
        )

    assert suggested("monotonic", [paged(n) for n in range(20)], "list_orders") == []
    assert suggested("monotonic", [since(n) for n in range(20)], "list_orders") == []


def test_few_calls_or_one_task_show_nothing():
    assert fields(*(read_twice(n, 1, 2) for n in range(LEAST_STEPS - 1))) == []
    assert fields(*(read_twice(n, 1, 2) for n in range(LEAST_STEPS))) == RISING
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


def test_another_tool_has_another_count_of_the_same_name():
    session = watching(".order_id", ".version", "get_order", "get_invoice")
    session.check("get_order", ASKED, order(5))
    assert session.check("get_invoice", ASKED, order(3)) == ()
    assert session.check("get_order", ASKED, order(3)) != ()


def test_from_one_write_to_the_next_what_they_made_goes_on():
    session = watching("?", ".message_id", "send_message")
    for number, said in ((7, "a"), (8, "b")):
        assert session.check("send_message", {"text": said}, {"message_id": number}) == ()
    (violation,) = session.check("send_message", {"text": "c"}, {"message_id": 3})
    assert violation.detail == "message_id is below what this session heard before from call to call"


def test_what_a_write_is_told_to_change_is_no_new_record():
    session = watching("?", ".created_at", "change_order")
    for number, day in ((1, "2026-03-05"), (2, "2026-03-01")):
        asked = {"order_id": f"W{number}"}
        assert session.check("change_order", asked, {**asked, "created_at": day}) == ()


def test_what_the_caller_named_is_neither_flagged_nor_a_height():
    """It may go from the third day to the second, and back to its own time."""
    early, middle, late = ({"at": day} for day in DAYS)
    session = watching("?", ".at", "send_message")
    assert session.check("send_message", {}, middle) == ()
    assert session.check("send_message", early, early) == ()
    assert session.check("send_message", late, late) == ()
    assert session.check("send_message", {"text": "a"}, middle) == ()
    assert session.check("send_message", {"text": "b"}, early) != ()


def test_without_remember_it_is_flagged_and_leaves_no_trace():
    session = watching(".order_id")
    session.check("get_order", ASKED, order(5))
    session.check("get_order", ASKED, order(9), remember=False)
    assert session.check("get_order", ASKED, order(6), remember=False) == ()
    assert session.check("get_order", ASKED, order(4), remember=False) != ()


def test_what_cannot_be_compared_is_not_judged():
    clause = Clause("monotonic", "", {"key": ".order_id", "field": ".at"}, 20, 20, "traces")
    session = Monitor(Registry({"get_order": Contract("get_order", (clause,))})).session()
    for at in ("2026-03-02", "2026-03-01T10:00:00Z", 7, "soon", None, "2026-13-45"):
        assert session.check("get_order", ASKED, {**ASKED, "at": at}) == ()
    assert session.check("get_order", ASKED, {**ASKED, "at": "2026-03-01"}) == ()


@given(st.lists(st.one_of(st.integers(-50, 50), st.floats(-50, 50)), min_size=1, max_size=12))
def test_it_is_flagged_exactly_where_it_is_below_all_that_stood(versions):
    session = watching(".order_id")
    flagged = [session.check("get_order", ASKED, order(version)) != () for version in versions]
    assert flagged == [v < max(versions[:n], default=v) for n, v in enumerate(versions)]


def test_it_is_mined_end_to_end():
    registry = mine([call for n in range(40) for call in read_twice(n, n % 9, n % 9 + 1)], "full")
    found = [clause for clause in registry.contracts["get_order"].clauses if clause.kind == "monotonic"]
    assert [explain(clause) for clause in found] == [
        "within a session, version does not run backwards for the same order_id",
        "within a session, version does not run backwards for the same arguments",
    ]


@pytest.mark.parametrize(
    "params", [{"key": ".a", "field": "?"}, {"key": "", "field": ".a"}, {"key": 5, "field": ".a"}]
)
def test_parameters_that_make_no_sense_are_refused(params):
    with pytest.raises(ContractError, match="parameter"):
        KINDS["monotonic"].validate(params, "here")
