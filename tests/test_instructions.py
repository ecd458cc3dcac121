"""No job takes a tenth more instructions than at the last release: counts, not times, so a busy machine changes nothing."""

import sys

import pytest

from bench.instructions import MORE, PYTHON, counts, known, table, too_many


@pytest.mark.skipif(sys.implementation.name != "cpython", reason="the instructions are CPython's")
def test_no_job_takes_a_tenth_more_than_at_the_last_release():
    before = known()
    if before is None:
        pytest.skip(f"no counts of Python {PYTHON}: python{PYTHON} -m bench.instructions --write makes them")
    now = counts()
    assert too_many(now, before) == []
    assert set(before) <= set(now), "a job is gone: python -m bench.instructions --write"


def test_what_is_too_much_is_said_with_its_figures():
    before = {"check": 1000, "mine": 500}
    most = int(1000 * MORE)
    assert too_many({"check": most, "mine": 1, "new": 9**9}, before) == []
    assert too_many({"check": most + 1}, before) == [
        "check: 1,101 instructions, 10% more than the 1,000 of the last release"
    ]


def test_the_table_has_a_row_for_each_job():
    assert table({"check": 900, "new": 5}, {"check": 1000}).rows == (
        ("check", "900", "1,000", "0.90"),
        ("new", "5", "", ""),
    )
