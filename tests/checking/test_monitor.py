"""The run time: fail open, never silent, never altering."""

import logging

import pytest

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, Relations, mine

CALLS = [
    Call("quote", {"symbol": f"S{i}"}, {"symbol": f"S{i}", "price": 1.0 + i}, task=str(i)) for i in range(5)
]
REGISTRY = mine(CALLS, "paper")


def test_a_clean_result_comes_back_as_the_very_same_object():
    result = {"symbol": "A", "price": 2.5}
    assert Monitor(REGISTRY).advise("quote", {"symbol": "A"}, result, tools=["quote"]) is result


def test_a_violation_keeps_the_result_and_adds_a_receipt():
    relations = Relations.declared({"quote": ["ticker", "hidden"]})
    result = {"symbol": "A", "price": -2.5}
    advised = Monitor(REGISTRY, relations).advise("quote", {"symbol": "A"}, result, tools=["ticker", "quote"])
    assert advised["tool_result"] is result
    assert advised["outcome_contract"] == {
        "status": "inconsistent",
        "violation": {
            "tool": "quote",
            "property": "nonpositive_value",
            "path": "price",
            "expected": "> 0",
            "observed": -2.5,
        },
        "admissible_recovery_tools": ["quote", "ticker"],
    }


def test_an_unknown_encoder_is_refused_at_once():
    with pytest.raises(ValueError, match="no receipt encoder 'v9'"):
        Monitor(REGISTRY, encoder="v9")  # type: ignore[arg-type]  # that is the point


def _deep():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    return deep


ODD = [
    None,
    0,
    "",
    "text",
    [],
    [1],
    float("nan"),
    float("inf"),
    _deep(),
    {"price": _deep()},
    {1: 2},
    object(),
    "x" * 50_000_000,
]


@pytest.mark.parametrize("result", ODD, ids=[type(value).__name__ + str(i) for i, value in enumerate(ODD)])
def test_any_result_is_checked_or_reported_and_nothing_is_raised(result):
    monitor = Monitor(REGISTRY)
    assert monitor.check("quote", {"symbol": "A"}, result)
    advised = monitor.advise("quote", {"symbol": "A"}, result)
    assert advised["tool_result"] is result
    assert monitor.counts.failed == 0


@pytest.mark.parametrize("arguments", [None, [], "x", 5])
def test_odd_arguments_do_not_reach_the_host(arguments):
    assert Monitor(REGISTRY).check("quote", arguments, {"symbol": "A", "price": -1})


def test_a_check_that_fails_is_counted_and_logged_and_the_rest_goes_on(caplog):
    # Parameters that no file could carry: loading would have refused them.
    broken = Clause("domain", "symbol", {}, 1, 1, "traces")
    clauses = (broken, Clause("positive", "price", {}, 1, 1, "traces"))
    monitor = Monitor(Registry({"quote": Contract("quote", clauses)}))
    with caplog.at_level(logging.ERROR, logger="outcome_monitors"):
        found = monitor.check("quote", {}, {"symbol": "A", "price": -1})
    assert [violation.code for violation in found] == ["nonpositive_value"]
    assert monitor.counts.failed == 1
    assert "could not be checked" in caplog.text


def test_one_clause_gives_one_violation_however_many_rows_break_it():
    clause = Clause("positive", "[].n", {}, 1, 1, "traces")
    monitor = Monitor(Registry({"t": Contract("t", (clause,))}))
    (violation,) = monitor.check("t", {}, [{"n": 1}, {"n": -1}, {"n": 0}])
    assert violation.path == "[1].n"
    assert violation.detail.endswith("(and 1 more)")
