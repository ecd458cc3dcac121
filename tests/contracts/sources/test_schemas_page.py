"""The page on schemas is true: its examples run, and it names every keyword."""

from pathlib import Path

import pytest

from outcome_monitors.contracts.sources.json_schema import KEYWORDS, REFUSED
from tests.page_examples import holds
from tests.places import DOCS

PAGE = DOCS / "guides" / "schemas.md"


def test_the_examples_run(tmp_path: Path):
    holds(PAGE, tmp_path)


@pytest.mark.parametrize("name", sorted([*KEYWORDS, *REFUSED]))
def test_the_page_names_it(name: str):
    assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
