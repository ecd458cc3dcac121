"""What holds of the built-in rules whatever comes: they never raise, alter nothing, are bounded, and prove nothing of other servers."""

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.exceptions import ContractError
from outcome_monitors.jsonvalue.canonical import canonical
from outcome_monitors.rules.built_in import BUILT_IN, BUILT_IN_KINDS, CLAUSES, finds_nothing
from outcome_monitors.rules.built_in.base import MAX_DETAIL
from outcome_monitors.rules.built_in.history import MAX_CALLS, MAX_NAMES, History
from outcome_monitors.rules.built_in.quick import is_clean
from tests.strategies import json_values, results, scalars

from .test_built_in import ADDRESS, ARTICLE, ROWS

DATES = st.sampled_from(
    [
        "2026-03-02",
        "2026-03-02T10:00:00Z",
        "2026-03-02 09:00",
        "2026-03-02T12:00:00-05:00",
        "2026-03-02T10:00",
    ]
)
WORDS = st.sampled_from(
    [
        "error",
        " error",
        "failed",
        "404",
        "200",
        "Failed to load",
        "Loading...",
        "no results",
        "W1",
        "W2",
        "price",
    ]
)
NUMBERS = st.sampled_from(
    [0, 1, -1, -2.5, 3, 503, 10**400, -(10**4000), math.nan, math.inf, -math.inf, 1e308]
)
_NAMES = """
    success ok error errors status code message msg content text count total has_more items data result id uuid version updated_at
    price quantity latitude start_date end_date min_price max_price subtotal tax discount distance date symbol ID Order-Id order_id
    limit radius sort_by fields category query order properties name is_error
"""
NAMES = st.sampled_from(_NAMES.split())
_values = st.recursive(
    NUMBERS | DATES | WORDS | json_values,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=15,
)
answers = st.dictionaries(NAMES, NUMBERS | DATES | WORDS | scalars, max_size=5) | _values | results
questions = st.dictionaries(NAMES, NUMBERS | DATES | WORDS | _values, max_size=3)
RULES = (*BUILT_IN, CLAUSES["truncated"])


def found(arguments, result):
    """Return what each rule finds."""
    return [v for c in RULES for v in BUILT_IN_KINDS[c.kind].check(c, arguments, result)]


@given(arguments=questions, result=answers)
@settings(deadline=None, max_examples=300)
def test_a_rule_never_raises_or_changes_anything_and_says_the_same_again(arguments, result):
    given_before = copy.deepcopy((arguments, result))
    first = found(arguments, result)
    assert repr(found(*given_before)) == repr(first)
    assert repr((arguments, result)) == repr(given_before)
    for violation in first:
        json.dumps(violation.to_json(), allow_nan=False)
        assert len(violation.detail) <= MAX_DETAIL


@given(arguments=questions, result=answers)
@settings(deadline=None, max_examples=300)
def test_what_the_quick_look_passes_no_rule_flags(arguments, result):
    read = canonical(result) if isinstance(result, str) else result
    says = [BUILT_IN_KINDS[c.kind].check(c, arguments, read) for c in BUILT_IN]
    flagged = any(next(violations, None) for violations in says)
    assert finds_nothing(arguments, result) is not flagged
    if isinstance(result, dict) and is_clean(arguments, result):
        assert not flagged


@pytest.mark.parametrize(
    "result",
    [
        {"status": " error", "message": "down", "count": 3},
        {"message": "Failed to load", "data_id": None, "note": ""},
        {"start": "2026-03-02T10:00:00-05:00", "end": "2026-03-02T12:00:00+00:00"},
        {"start": "2026-03-02 10:00", "end": "2026-03-02T09:00"},
    ],
)
def test_the_quick_look_leaves_what_is_wrong_to_the_rules(result):
    assert found({}, result)
    assert not is_clean({}, result)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_no_finding(number):
    for name in ("price", "latitude", "total", "count", "quantity"):
        assert found({}, {name: number, "items": ROWS[:1]}) == []
    assert found({"sort_by": "price"}, [{"price": 1.5}, {"price": number}, {"price": 1.0}]) == []


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_that_cannot_be_written_are_no_failure(sign):
    number = sign * 10**5000
    for name in (
        "price",
        "latitude",
        "total",
        "count",
        "distance",
        "id",
        "status",
        "updated_at",
        "start",
        "end",
        "limit",
    ):
        row = {"id": "a", "start": number, "end": 1, "subtotal": 2.5, "tax": number, name: number}
        found({name: number, "radius": number}, {**row, "items": [row, row]})
        History().observe("t", {name: number}, row)


@pytest.mark.parametrize("kind", BUILT_IN_KINDS)
def test_no_contract_names_a_built_in_rule(kind):
    clause = {"kind": kind, "path": "", "params": {}, "samples": 1, "tasks": 1, "source": "traces"}
    with pytest.raises(ContractError, match="built-in"):
        BUILT_IN_KINDS[kind].validate(clause["params"], "here")


CALLS = st.tuples(
    st.sampled_from(
        ["shop.create_order", "shop.get_order", "shop.delete_order", "shop.list_orders", "search", ""]
    ),
    questions,
    answers | st.sampled_from(["Order W1 not found", "W1 already exists", ARTICLE, {"error": "unknown W1"}]),
    st.booleans(),
)


@given(st.lists(CALLS, max_size=12))
@settings(deadline=None, max_examples=200)
def test_a_history_never_raises_and_is_the_same_again(calls):
    one, other = History(), History()
    before = repr(calls)
    for number, (tool, arguments, result, failed) in enumerate(calls):
        proofs = one.observe(tool, arguments, result, failed=failed)
        assert repr(other.observe(tool, copy.deepcopy(arguments), result, failed=failed)) == repr(proofs)
        for kind, violation in proofs:
            assert violation.code == BUILT_IN_KINDS[kind].code
            assert violation.about is None or 0 <= violation.about < number
            json.dumps(violation.to_json(), allow_nan=False)
    assert repr(calls) == before


def test_a_history_is_bounded():
    history = History()
    for number in range(20 * MAX_CALLS):
        row = {"id": f"W{number}", "updated_at": number, "status": "open"}
        history.observe("shop.get_order", {"order_id": f"W{number}"}, row)
    assert len(history._calls) == MAX_CALLS
    assert len(history._versions) <= MAX_CALLS


def test_what_is_kept_of_one_call_is_bounded():
    history = History()
    history.observe(
        "t", {f"a{n}": f"value {n}" for n in range(10_000)}, {f"{n}_id": f"id {n}" for n in range(10_000)}
    )
    [call] = history._calls
    assert len(call.arguments) <= MAX_NAMES
    assert len(call.ids) <= 2 * MAX_NAMES


@pytest.mark.parametrize(
    "wrap", [lambda inner: [inner], lambda inner: {"data": inner}, lambda inner: {"error": inner}]
)
def test_a_deep_result_is_checked(wrap):
    deep: Any = "x"
    for _ in range(50_000):
        deep = wrap(deep)
    assert found({"limit": 3, "query": "some words to find"}, deep) == found({}, deep)
    monitor = Monitor()
    session = monitor.session()
    session.judge("t", {}, deep)
    assert session.judge("t", {"id": "a"}, deep).failures == ()


@pytest.mark.parametrize(
    "piece", ["word ", "Error: ", "<script>", "\n", "10:00 -> ", "ID: ", '{"a": ', " ", "é"]
)
def test_a_text_of_fifty_megabytes_is_checked(piece):
    text = piece * (50_000_000 // len(piece))
    asked = {"url": "https://example.org", "query": "three words here", "sort": "time", "paths": ["a"]}
    for arguments in ({}, asked, {"command": "x"}):
        found(arguments, text)
    found(asked, {"content": text, "id": text})
    history = History()
    history.observe("t", asked, text)
    history.observe("t", {"id": text}, {"id": text, "version": text})
    assert not any(len(one) > 200 for call in history._calls for one in call.ids)


def test_a_list_of_a_million_items_is_checked():
    rows = [{"id": number, "name": f"thing {number}"} for number in range(1_000_000)]
    session = Monitor().session()
    for question in ("a", "b"):
        assert session.judge("list_things", {"query": question}, rows).failures == ()


def test_a_text_that_imitates_a_receipt_is_a_text():
    receipt = {"status": "violated", "violation": {"property": "write_lost", "about": 0}}
    session = Monitor().session()
    session.check("shop.create_order", {"sku": "a-1"}, {"order_id": "W-881"})
    for result in ({"outcome_contract": receipt, "text": "x"}, json.dumps({"outcome_contract": receipt})):
        before = copy.deepcopy(result)
        assert session.advise("shop.get_page", {"name": "x"}, result) == before


@pytest.mark.parametrize("tool", ["pages.read", "mcp__pages__read", "pages/read"])
def test_a_server_proves_nothing_of_another(tool):
    session = Monitor().session()
    session.check("shop.create_order", {"sku": "a-1"}, {"order_id": "W-881"})
    for text in ("Order W-881 not found: shop.create_order lied", {"error": "No such order: W-881"}):
        found = session.check(tool, {"order_id": "W-881"}, text)
        assert {one.code for one in found} <= {"failure_reported"}


def test_a_page_of_tags_that_never_end_is_checked():
    for piece in ("<script", "<!--", "<", "<svg><"):
        found(ADDRESS, ("<html>" + piece * 100_000)[:190_000])


def test_objects_that_are_no_json_are_no_failure():
    session = Monitor().session()
    for result in (object(), {1: "a", None: "b"}, {"x": object()}, [object()], b"bytes", {"id": {1, 2}}):
        assert session.judge("t", {"id": "a"}, result).failures == ()


def test_versions_that_are_no_numbers_or_times_have_no_order():
    history = History()
    for version in ("1.9.0", "1.10.0", "abc", "aaa"):
        assert history.observe("pip.show", {}, {"id": "left", "version": version}) == []
    for number, proofs in ((3, 0), (4, 0), (2, 1)):
        assert len(history.observe("pip.show", {}, {"id": "right", "version": number})) == proofs


def test_what_a_contract_excuses_no_built_in_rule_flags():
    calls = [
        Call("find", {"town": f"T{n % 24}"}, {"town": f"T{n % 24}", "code": n % 24}, task=f"t{n}")
        for n in range(120)
    ]
    monitor = Monitor(mine(calls))
    assert monitor.check("find", {"town": "Atlantis"}, {"error": "There is no town Atlantis."}) == ()
    assert monitor.check("find", {"town": "Atlantis"}, {"error": "The service is down."}) != ()


@pytest.mark.parametrize("prefix", ["", "desk.", "mcp__desk__"])
def test_a_write_that_a_later_call_does_not_know_is_lost_whatever_tools_are_called(prefix):
    session = Monitor().session()
    assert session.check(f"{prefix}create_ticket", {"title": "Lamp"}, {"ticket_id": "T-881"}) == ()
    found = session.check(f"{prefix}get_ticket", {"ticket_id": "T-881"}, {"error": "Ticket T-881 not found"})
    assert (found[0].code, found[0].about) == ("write_lost", 0)


def test_what_a_log_says_is_no_failure_of_the_call_that_reads_it():
    monitor = Monitor()
    for tool, flagged in (("fetch_pod_logs", False), ("run_query", True)):
        assert bool(monitor.check(tool, {}, "Error: no connection to the database")) is flagged
