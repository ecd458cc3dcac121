"""`linear`: a number is what others make it."""

import random

import pytest

from outcome_monitors.model import Violation
from outcome_monitors.rules import explain
from outcome_monitors.rules.config import CONFIG
from tests.rules.relations import Row, clause, flags, suggested

SOURCE = random.Random(7)
PAIRS = [(SOURCE.randrange(2, 90), SOURCE.randrange(2, 90)) for _ in range(40)]


def said(rows):
    return [explain(candidate.clause) for candidate in suggested("linear", rows)]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([({}, {"c": x, "f": 1.8 * x + 32}) for x, _ in PAIRS], "f = 1.8 x c + 32"),
        ([({}, {"a": x, "b": y, "sum": x + y}) for x, y in PAIRS], "sum = a + b"),
        ([({}, {"a": x, "b": y, "less": x - y}) for x, y in PAIRS], "less = a - b"),
        ([({}, {"price": x / 4, "qty": y, "total": x * y / 4}) for x, y in PAIRS], "total = price x qty"),
        ([({"limit": x}, {"given": x}) for x, _ in PAIRS], "the argument limit = given"),
        ([({}, {"n": x, "sum": y, "mean": round(y / x, 2)}) for x, y in PAIRS], "mean = sum / n"),
        ([({}, {"a": str(x), "b": f"{y}.50", "sum": x + y + 0.5}) for x, y in PAIRS], "sum = a + b"),
        ([({"sizes": [x, y]}, {"all": x + y}) for x, y in PAIRS], "the sum of the argument sizes = all"),
        (
            [({"expression": f"{x} * ({y} - 1)"}, {"result": x * (y - 1)}) for x, y in PAIRS],
            "the worth of the argument expression = result",
        ),
        (
            [({}, {"text": "x" * (40 + x), "length": 40 + x}) for x, _ in PAIRS],
            "the length of text = length",
        ),
        (
            [({}, {"rows": [{"n": x}] * (y % 9 + 2), "mean": x}) for x, y in PAIRS],
            "mean = the sum of rows[].n / the number of rows",
        ),
        ([({}, {"count": y % 9, "rows": [{}] * (y % 9)}) for _, y in PAIRS], "count = the number of rows"),
        (
            [({}, {"rows": [{"n": x}, {"n": y + 0.1}], "total": x + y + 0.1}) for x, y in PAIRS],
            "total = the sum of rows[].n",
        ),
    ],
)
def test_each_form_is_found(rows, text):
    assert text in said(rows) or " = ".join(reversed(text.split(" = "))) in said(rows)


TOTAL = clause("linear", form="sum", of=[".net", ".tax"], field=".gross", slope=1.0, intercept=0.0)


def test_a_total_that_does_not_fit_is_flagged_with_all_that_it_is_made_of():
    assert flags(TOTAL, {"net": 10, "tax": 2, "gross": 12}) == []
    assert flags(TOTAL, {"net": 10, "tax": 2, "gross": 13}) == [
        Violation(
            "arithmetic_broken",
            "",
            "gross = net + tax, which is 12",
            "net 10, tax 2, gross 13",
            "net, tax and gross do not agree",
        )
    ]


MEAN = clause("linear", form="quotient", of=[".n", ".sum"], field=".mean", slope=1.0, intercept=0.0)


@pytest.mark.parametrize(
    ("n", "sum_", "mean", "right"),
    [
        (3, 10, 3.3333333333333335, True),
        (3, 10, 3.33, True),
        (3, 10, 3.3, True),
        (3, 10, 3, False),
        (3, 10, 3.35, False),
        (3, 10, "3.33", True),
        (3, 10, "3.43", False),
        (4, 10, 2.5, True),
        (4, 10, 2.6, False),
    ],
)
def test_an_average_may_be_rounded(n, sum_, mean, right):
    assert (flags(MEAN, {"n": n, "sum": sum_, "mean": mean}) == []) is right


@pytest.mark.parametrize("mean", [0, 5, None, -1.5])
def test_of_the_average_of_nothing_nothing_is_said(mean):
    assert flags(MEAN, {"n": 0, "sum": 0, "mean": mean}) == []
    assert flags(MEAN, {"n": 5e-324, "sum": 1e99, "mean": mean}) == []


def test_the_noise_of_binary_arithmetic_is_no_difference_and_a_cent_is():
    assert 0.1 + 0.2 != 0.3
    assert flags(TOTAL, {"net": 0.1, "tax": 0.2, "gross": 0.3}) == []
    assert flags(TOTAL, {"net": 1000.1, "tax": 0.2, "gross": 1000.3 + CONFIG.linear_tolerance}) == []
    assert flags(TOTAL, {"net": 1000.1, "tax": 0.2, "gross": 1000.31}) != []


@pytest.mark.parametrize(
    "odd", [None, "012", "12 EUR", "1e3", "1" * 19, True, [12], float("nan"), float("inf"), 10**400]
)
def test_what_is_no_number_is_not_judged(odd):
    for field in ("net", "tax", "gross"):
        assert flags(TOTAL, {"net": 1, "tax": 2, "gross": 4, field: odd}) == []


@pytest.mark.parametrize(
    "rows",
    [
        [({}, {"a": 5, "b": 5})] * 40,
        [({}, {"a": x, "b": x}) for x, _ in PAIRS[:1]],
        [({}, {"a": i % 2, "b": 1, "c": i % 2 + 1}) for i in range(40)],
        [({}, {"a": i % 2, "b": i // 2 % 2, "both": (i % 2) * (i // 2 % 2)}) for i in range(40)],
        [({"a": x, "b": x}, {}) for x, _ in PAIRS],
    ],
    ids=["constants", "one task", "a flag", "zeros and ones", "arguments alone"],
)
def test_what_shows_no_relation(rows):
    assert said(rows) == []


def test_numbers_of_any_size_are_mined():
    huge = [10**400, -(10**400), 1e308, float("inf"), float("nan"), 5e-324, 2**63]
    rows: list[Row] = [({"n": n}, {"a": n, "b": m, "c": [n, m]}) for n in huge for m in huge]
    suggested("linear", rows)
