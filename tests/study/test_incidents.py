"""Incidents are dealt out as evenly as what fits the tasks allows."""

from collections import Counter

from outcome_monitors_study.environments.environment import Cell
from outcome_monitors_study.environments.faults import dealt


def cells(number):
    return [Cell(f"t{n}/P3", "C3/P3", f"t{n}") for n in range(number)]


def test_faults_are_dealt_evenly():
    counts = Counter(cell.fault for cell in dealt(cells(80), lambda _: list("abcdefgh")))
    assert set(counts.values()) == {10}


def test_cells_with_a_choice_of_faults_balance_those_without():
    fits = {"t0/P3": ["a"], "t1/P3": ["a"], "t2/P3": ["a", "b"], "t3/P3": ["a", "b"]}
    counts = Counter(cell.fault for cell in dealt(cells(4), lambda cell: fits[cell.id]))
    assert counts == {"a": 2, "b": 2}
