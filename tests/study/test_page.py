"""The page on studies is true where it can be run in a moment."""

import doctest

import pytest

from outcome_monitors.study import minimum_detectable_effect
from outcome_monitors.study.arms import ARMS
from tests.pages import DOCS


def test_the_examples_give_what_the_page_says():
    done = doctest.testfile(str(DOCS / "studies.md"), module_relative=False, encoding="utf-8")
    assert done.attempted >= 5
    assert done.failed == 0


@pytest.mark.parametrize("module", ["_mcnemar", "_signflip", "_bootstrap", "_power", "_pairs"])
def test_so_do_those_of_the_docstrings(module):
    name = f"outcome_monitors.study.statistics.{module}"
    done = doctest.testmod(__import__(name, fromlist=["_"]))
    assert done.attempted
    assert done.failed == 0


def test_every_arm_is_on_the_page():
    page = (DOCS / "studies.md").read_text(encoding="utf-8")
    assert [name for name in ARMS if f"`{name}`" not in page and name != "baseline"] == []


@pytest.mark.parametrize(
    ("control", "pairs", "baseline"),
    [("tau-bench conservation", 50, 35 / 50), ("specificity", 114, 43 / 114), ("clean P0", 114, 74 / 114)],
)
def test_the_detectable_effects_are_those_of_the_table(control, pairs, baseline):
    text = (DOCS / "studies.md").read_text(encoding="utf-8")
    [row] = [line for line in text.splitlines() if line.startswith(f"| {control} | {pairs} |")]
    assert row.split("|")[4].strip() == f"{(minimum_detectable_effect(pairs, baseline) or 0) * 100:.0f}"
