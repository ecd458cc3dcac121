"""The page on schemas is true: its examples run, and it names every keyword and every source."""

import doctest
from pathlib import Path

import pytest

from outcome_monitors.sources import SOURCES
from outcome_monitors.sources._reading import LEVELS, MOST_CLAUSES, MOST_STEPS, MOST_STEPS_OF_ALL
from outcome_monitors.sources._vocabulary import REFUSED
from outcome_monitors.sources.json_schema import KEYWORDS

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "schemas.md"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8").failed == 0


@pytest.mark.parametrize("name", sorted([*SOURCES, *KEYWORDS, *REFUSED]))
def test_the_page_names_it(name: str):
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")


def test_the_page_states_the_bounds():
    text = PAGE.read_text(encoding="utf-8")
    for bound in (*LEVELS, MOST_CLAUSES, MOST_STEPS, MOST_STEPS_OF_ALL):
        assert f"{bound:,}" in text
