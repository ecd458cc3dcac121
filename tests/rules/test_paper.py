"""Each kind of the published system: what it learns, what it flags, what it says."""

import pytest

from outcome_monitors import Call, Monitor, mine

QUOTE = {"symbol": "ACME", "price_usd": 12.5, "currency": "USD"}


def _calls(*results, arguments=None):
    return [Call("t", dict((arguments or [{}] * 99)[i]), r, task=str(i)) for i, r in enumerate(results)]


def _kinds(calls, kind):
    contract = mine(calls, "paper").contracts["t"]
    return [clause for clause in contract.clauses if clause.kind == kind]


def _flags(calls, result, arguments=None):
    monitor = Monitor(mine(calls, "paper"))
    found = monitor.check("t", arguments or {}, result)
    assert monitor.counts.failed == 0
    return [(v.code, v.path, v.expected, v.observed, v.detail) for v in found]


def test_the_receipt_printed_in_the_paper():
    calls = _calls(*({**QUOTE, "price_usd": 10.0 + i} for i in range(6)))
    codes = [
        (code, detail)
        for code, _, _, _, detail in _flags(calls, {"symbol": "ACME", "price_usd": -3.0, "currency": "XXX"})
    ]
    assert codes == [
        ("nonpositive_value", "nominally positive field price_usd is not positive"),
        ("unseen_category", "field currency has unseen categorical value"),
    ]


def test_required_is_present_in_every_result():
    calls = _calls({"a": 1, "b": 1}, {"a": 2})
    assert [clause.path for clause in _kinds(calls, "required")] == ["a"]
    assert ("missing_learned_field", "a", "present", "absent", "missing nominal field a") in _flags(
        calls, {"b": 1}
    )


def test_known_is_seen_in_any_result():
    calls = _calls({"a": 1, "b": 1}, {"a": 2})
    assert _flags(calls, {"a": 1}) == []
    flags = _flags(calls, {"a": 1, "c": 1})
    assert flags == [("unexpected_field", "c", "absent", "present", "field absent from nominal traces: c")]


def test_types_are_the_union_of_kinds_seen():
    calls = _calls({"a": 1}, {"a": None})
    assert _flags(calls, {"a": None}) == []
    assert _flags(calls, {"a": 3.0}) == []
    expected = ("learned_type_mismatch", "a", ["integer", "null"], "string", "field a has unexpected type")
    assert _flags(calls, {"a": "1"}) == [expected]
    assert _flags(calls, {"a": True})[0][3] == "boolean"
    assert _flags(calls, {"a": 1.5})[0][3] == "number"


def test_an_error_page_in_place_of_an_object_is_a_type_mismatch():
    assert _flags(_calls({"a": 1}), "<html>502</html>")[0][:4] == (
        "learned_type_mismatch",
        "",
        ["object"],
        "string",
    )


@pytest.mark.parametrize(("pairs", "learned"), [(1, False), (2, True)])
def test_an_echo_needs_two_pairs(pairs, learned):
    calls = _calls(*({"id": str(i)} for i in range(pairs)), arguments=[{"id": str(i)} for i in range(pairs)])
    assert bool(_kinds(calls, "echo")) is learned


def test_an_echo_must_hold_in_all_and_speaks_when_both_are_there():
    asked = [{"id": str(i)} for i in range(4)]
    calls = _calls(*({"id": str(i)} for i in range(4)), arguments=asked)
    assert _flags(calls, {"id": "7"}, {"id": "8"}) == [
        ("learned_echo_mismatch", "id", "8", "7", "field id differs from call argument")
    ]
    assert _flags(calls, {"id": "7"}, {}) == []
    assert not _kinds([*calls, Call("t", {"id": "5"}, {"id": "6"}, task="x")], "echo")


@pytest.mark.parametrize(
    ("values", "learned"),
    [([1, 2], False), ([1, 2, 3], True), ([1, 2, 3, 0], False), ([1, 2, float("nan")], False)],
)
def test_positivity_needs_three_positive_samples_and_no_other(values, learned):
    assert bool(_kinds(_calls(*({"n": v} for v in values)), "positive")) is learned


@pytest.mark.parametrize("bad", [0, -1, 0.0, float("nan"), float("-inf")])
def test_what_is_not_above_zero_is_flagged(bad):
    assert _flags(_calls({"n": 1.0}, {"n": 2}, {"n": 3}), {"n": bad})[0][0] == "nonpositive_value"


def test_a_domain_needs_a_categorical_name_and_four_samples():
    few = [{"status": "a", "name": "a"}] * 3
    assert not _kinds(_calls(*few), "domain")
    assert [c.path for c in _kinds(_calls(*few, {"status": "b", "name": "b"}), "domain")] == ["status"]


def test_a_domain_has_at_most_eight_values():
    assert _kinds(_calls(*({"status": str(i)} for i in range(8))), "domain")
    assert not _kinds(_calls(*({"status": str(i)} for i in range(9))), "domain")


def test_a_domain_folds_case_and_space():
    calls = _calls(*[{"status": "Open"}, {"status": "closed"}] * 2)
    assert _kinds(calls, "domain")[0].params == {"values": ["closed", "open"]}
    for fine in ("OPEN ", "open", "Closed", "oPeN"):
        assert _flags(calls, {"status": fine}) == []
    assert _flags(calls, {"status": "ajar"})[0][:4] == (
        "unseen_category",
        "status",
        ["closed", "open"],
        "ajar",
    )


def test_an_affine_relation_is_learned_and_flagged():
    calls = _calls(*({"count": i, "subtotal": 2.5 * i + 1} for i in range(1, 6)))
    back, there = (clause.params for clause in _kinds(calls, "affine"))
    assert there == {"x": "count", "y": "subtotal", "slope": 2.5, "intercept": 1.0}
    assert back == {"x": "subtotal", "y": "count", "slope": 0.4, "intercept": -0.4}
    assert _flags(calls, {"count": 10, "subtotal": 26.0}) == []
    assert _flags(calls, {"count": 10, "subtotal": 26.000001}) == []
    expected = (
        "affine_relation_broken",
        "subtotal",
        26.0,
        27.0,
        "fields count and subtotal violate a nominal relation",
    )
    reverse = (expected[0], "count", 10.4, 10, "fields subtotal and count violate a nominal relation")
    assert _flags(calls, {"count": 10, "subtotal": 27.0}) == [reverse, expected]


@pytest.mark.parametrize(("off", "flagged"), [(9e-6, False), (2e-4, True), (0.01, True), (1.0, True)])
def test_the_tolerance_of_a_line_is_flat_however_large_the_numbers(off, flagged):
    calls = _calls(*({"count": i, "subtotal": 2.5 * i + 1} for i in range(1, 6)))
    assert bool(_flags(calls, {"count": 2_000_000, "subtotal": 5_000_001.0 + off})) is flagged


@pytest.mark.parametrize("slope", [1 / 3, 0.1, 1e-6, 123456.789])
def test_float_noise_does_not_hide_a_line(slope):
    calls = _calls(*({"a": i + 0.1, "b": (i + 0.1) * slope} for i in range(30)))
    assert len(_kinds(calls, "affine")) == 2
    assert _flags(calls, {"a": 77.7, "b": 77.7 * slope}) == []


@pytest.mark.parametrize(("off", "learned"), [(9e-9, 2), (1.2e-8, 0)])
def test_each_sample_is_bounded_and_not_their_sum(off, learned):
    calls = _calls(*({"a": i, "b": i + (off if i % 2 else -off)} for i in range(60)))
    assert len(_kinds(calls, "affine")) == learned


def test_a_line_that_floats_cannot_hold_is_not_learned():
    calls = _calls(*({"a": 1e14 + i, "b": (1e14 + i) / 3} for i in range(6)))
    assert _kinds(calls, "affine") == []


@pytest.mark.parametrize(
    "rows",
    [
        [(1, 1), (2, 2), (3, 3)],  # three samples
        [(1, 1), (2, 2), (1, 1), (2, 2)],  # two distinct values
        [(1, 5), (2, 5), (3, 5), (4, 5)],  # a constant
        [(1, 1), (2, 2), (3, 3), (4, 4.0001)],  # no line
        [(5, 1), (5, 2), (5, 3), (5, 4)],  # upright
    ],
)
def test_what_is_no_affine_relation(rows):
    assert not _kinds(_calls(*({"a": a, "b": b} for a, b in rows)), "affine")


@pytest.mark.parametrize(
    ("first", "second"),
    [("start_date", "end_date"), ("departure_time", "arrival_time"), ("created_at", "updated_at")],
)
def test_the_three_date_pairs(first, second):
    calls = _calls(
        {first: "2026-01-01", second: "2026-01-01"},
        {first: "2026-01-02T10:00:00Z", second: "2026-01-03T09:00:00+01:00"},
    )
    assert len(_kinds(calls, "order")) == 1
    flags = _flags(calls, {first: "2026-03-02", second: "2026-03-01"})
    assert flags == [
        (
            "order_broken",
            second,
            "not before 2026-03-02",
            "2026-03-01",
            f"field {second} is earlier than field {first}",
        )
    ]
    assert _flags(calls, {first: "2026-03-02", second: "soon"}) == []


def test_an_error_bearing_field_is_flagged_first():
    flags = _flags(_calls({"a": 1}), {"a": 1, "error": "upstream failed"})
    assert flags[0] == (
        "explicit_error",
        "error",
        "absent",
        "upstream failed",
        "error-bearing field(s): error",
    )
    assert flags[1][0] == "unexpected_field"
    assert _flags(_calls({"a": 1}), {"a": 1, "Error": "invalid ident"})[0][0] == "explicit_error"


def test_an_error_field_that_is_empty_or_was_in_use_is_data():
    calls = _calls({"a": 1, "errors": []}, {"a": 1, "errors": []})
    assert _flags(calls, {"a": 1, "errors": []}) == []
    assert _flags(calls, {"a": 1, "errors": ["x"]})[0][0] == "explicit_error"
    used = _calls({"error": "none so far"}, {"error": ""})
    assert _flags(used, {"error": "one more"}) == []
