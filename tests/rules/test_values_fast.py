"""`fast` may be wrong in the safe direction only: it never says yes where `check` finds something.

The law is tried on whatever the kinds themselves suggest, of one value, of a field, and of a column, with values that are like those
seen and with any others; each clause by itself, and all together, since some look at what stands beside them.
"""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Clause, Contract
from outcome_monitors.checking.compiled import compile_contract
from outcome_monitors.jsonvalue.paths import parse, render
from outcome_monitors.rules import KINDS, evaluate
from tests.rules.values import MANY, evidence
from tests.strategies import json_values, scalars

VALUE_KINDS = (
    *("error", "type", "required", "closed_fields", "positive", "domain", "range"),
    *("length", "form", "anomalous_text", "time", "non_empty"),
)

numbers = st.integers(-3, 30) | st.floats() | st.sampled_from([0.5, 2.25, 1e307, 10**20, 10**400])
pieces = st.sampled_from(
    [*"aZ0x9-?. <…é\n", "ab", "12", "null", "n/a", "<p>", "...", "1970-01-01", "error", "{"]
)
times = st.builds(
    "{}{}-{:02}-{:02}{}".format,
    st.sampled_from(["19", "20", "00", "99"]),
    st.sampled_from(["00", "01", "26", "99", "9", "x1"]),
    st.integers(0, 13),
    st.integers(0, 32),
    st.sampled_from(
        ["", "T10:30", " 23:59:59", "T24:00:00", "T10:30:00Z", "T10:30:00.5+02:00", "T10:61:00", "Z"]
    ),
) | st.builds(
    "{:02}:{:02}{}".format, st.integers(0, 25), st.integers(0, 61), st.sampled_from(["", ":30", ":60"])
)
texts = st.lists(pieces, max_size=4).map("".join) | st.sampled_from(
    [
        "a" * 1500,
        "A" * 1000 + "0",
        "a" * 1997 + "...",
        "err" + "a" * 3000,
        "a" * 997 + "err" + "or: " + "a" * 996,
    ]
)
objects = st.dictionaries(
    st.sampled_from(["a", "b", "Error", "error", "é", "a.b"]),
    scalars | st.lists(numbers, max_size=2),
    max_size=4,
)
alike: st.SearchStrategy[st.SearchStrategy[Any]] = st.sampled_from(
    [numbers, texts, times, objects, st.lists(texts, max_size=3), scalars, json_values]
)


def suggested(values: list[Any], base: str) -> list[Clause]:
    """Return what the kinds suggest of values, for the place `base` instead of the result itself."""
    found = evidence(*(values[number % len(values)] for number in range(MANY)))
    return [
        Clause(name, render((*parse(base), *parse(each.clause.path))), each.clause.params, 1, 1, "traces")
        for name in VALUE_KINDS
        for each in KINDS[name].suggest(found)
        if not each.refused
    ]


def says_yes(clauses: list[Clause], result: Any) -> bool:
    """Return what generated code says; an exception sends the result to the plain evaluator."""
    try:
        return compile_contract(Contract("t", tuple(clauses)))({}, result)
    except Exception:  # noqa: BLE001 - as the monitor has it
        return False


def at(base: str, values: list[Any]) -> Any:
    """Return a result that has a value at `base`, or several."""
    if base == "[].x":
        return [{"x": value} for value in values]
    return {"x": values[0]} if base else values[0]


def holds_the_law(clauses: list[Clause], result: Any) -> None:
    """Assert it of each clause, and of all together."""
    broken = [each for each in clauses if next(evaluate([each], {}, result), None)]
    assert [each for each in broken if says_yes([each], result)] == []
    # What every row has is tested in a loop over the rows, and not in a column.
    there = [each for each in clauses if each.kind == "required"]
    assert [each for each in broken if says_yes([*there, each], result)] == []
    assert not (broken and says_yes(clauses, result))


@pytest.mark.parametrize("base", ["", "x", "[].x"])
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_fast_never_says_yes_where_check_finds_something(base, data):
    strategy = data.draw(alike)
    clauses = suggested(data.draw(st.lists(strategy, min_size=1, max_size=10)), base)
    holds_the_law(clauses, at(base, data.draw(st.lists(strategy | json_values, min_size=1, max_size=8))))
