"""The page on studies is true where it can be run in a moment."""

import doctest
import re

from outcome_monitors_study import statistics
from outcome_monitors_study.arms import ARMS
from outcome_monitors_study.prices import PRICES, cost_of
from tests.places import DOCS

STUDIES = (DOCS / "guides" / "studies.md").read_text(encoding="utf-8")


def test_examples_of_the_page_run():
    done = doctest.testfile(str(DOCS / "guides" / "studies.md"), module_relative=False, encoding="utf-8")
    assert done.attempted >= 5
    assert done.failed == 0


def test_examples_of_docstrings_run():
    done = doctest.testmod(statistics)
    assert done.attempted >= 6
    assert not done.failed


def test_every_arm_is_on_the_page():
    page = (DOCS / "guides" / "studies.md").read_text(encoding="utf-8")
    assert [name for name in ARMS if f"`{name}`" not in page and name != "baseline"] == []


def test_the_costs_are_those_of_the_price_table():
    """A quarter of the tokens that the paper prints for its four models."""
    usage = {"input_tokens": 24_810_000 // 4, "output_tokens": 906_000 // 4}
    rows = re.findall(r"^\| `([\w.-]+)` \| ([\d.]+) \|$", STUDIES, re.MULTILINE)
    assert len(rows) > 3
    for model, dollars in rows:
        assert f"{cost_of(PRICES[model], usage):.2f}" == dollars, model
