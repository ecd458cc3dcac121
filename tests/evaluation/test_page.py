"""docs/guides/audit.md cannot rot: its examples are run, and every key of the JSON file is on it."""

import re
from pathlib import Path

from outcome_monitors.evaluation import Settings, backtest
from tests.evaluation.counts import audited
from tests.evaluation.shop import later_shop, shop
from tests.page_examples import holds
from tests.places import DOCS

PAGE = (DOCS / "guides" / "audit.md").read_text(encoding="utf-8")


def rows_of(section: str) -> dict[str, str]:
    """Return the table of a section: what its rows name, and what they say of it."""
    text = PAGE.partition(f"\n## {section}")[2].partition("\n## ")[0]
    return dict(re.findall(r"^\| (`.*?`) \| (.*) \|$", text, re.MULTILINE))


def test_every_key_of_the_json_file_is_on_the_page():
    document = audited()
    rows = rows_of("The JSON file\n")
    named = [key for cell in rows for key in re.findall(r"`(\w+)`", cell)]
    assert named == list(document)
    inner = {"settings": document["settings"], "faults": document["faults"][0], "folds": document["folds"][0]}
    inner |= {"calls": document["calls"], "suites": document["suites"]["toolmaze"]}
    for key, value in inner.items():
        assert re.findall(r"`(\w+)`", rows[f"`{key}`"]) == list(value)


def test_every_key_of_the_json_file_of_a_backtest_is_on_the_page():
    settings = Settings(suites=("incident",), limit=10)
    document = backtest(shop(40), later_shop(), settings)
    rows = rows_of("The JSON file of a backtest")
    assert [key for cell in rows for key in re.findall(r"`(\w+)`", cell)] == list(document)
    inner = {"settings": document["settings"], "wrong": document["wrong"], "right": document["right"]}
    inner |= {"reliability": document["reliability"][0]}
    for key, value in inner.items():
        assert set(re.findall(r"`(\w+)`", rows[f"`{key}`"])) == set(value)


def test_the_examples_of_the_page_give_what_it_says(tmp_path: Path):
    holds(DOCS / "guides" / "audit.md", tmp_path)
