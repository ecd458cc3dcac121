"""The pages on rule kinds are there, their examples give what they say, and the generated table is current."""

import doctest

import pytest

from outcome_monitors.checking.forms import CODE
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.anomalous_text import MARKS
from tests.pages import keep, says, table, with_part
from tests.places import DOCS
from tests.rules.marks import FOUND

PAGES = DOCS / "reference" / "rules"
INDEX = PAGES / "index.md"
kinds = pytest.mark.parametrize("name", KINDS)


def kinds_table() -> str:
    """Return the table of all kinds."""
    rows = [
        (
            f"[`{kind.name}`]({kind.name}.md)",
            f"`{kind.code}`",
            says(kind),
            ", ".join(sorted(kind.mining.profiles)),
        )
        for kind in KINDS.values()
    ]
    return table(("kind", "violation code", "what it says", "profiles"), rows)


def test_the_table_of_the_index_is_current():
    keep(INDEX, with_part(INDEX.read_text(encoding="utf-8"), "kinds", kinds_table()))


def test_every_code_is_in_the_index():
    text = INDEX.read_text(encoding="utf-8")
    codes = {
        CODE,
        *(code for kind in KINDS.values() for code in (kind.code, kind.traits.schema_code) if code),
    }
    assert [code for code in sorted(codes) if f"`{code}`" not in text] == []


def test_the_table_of_marks_is_current():
    page = PAGES / "anomalous_text.md"
    rows = [(mark, f"`{FOUND[mark][0]}`") for mark in MARKS]
    keep(page, with_part(page.read_text(encoding="utf-8"), "marks", table(("mark", "for example"), rows)))


@kinds
def test_every_kind_has_a_page_and_a_row(name):
    assert (PAGES / f"{name}.md").read_text(encoding="utf-8").startswith(f"# `{name}`")
    assert f"\n| [`{name}`]({name}.md) |" in INDEX.read_text(encoding="utf-8")


def test_every_page_is_of_a_kind():
    assert {page.stem for page in PAGES.glob("*.md")} - {"index"} <= set(KINDS)


@kinds
def test_the_examples_give_what_the_page_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(PAGES / f"{name}.md"), module_relative=False, encoding="utf-8")
    assert done.attempted > 0
    assert done.failed == 0


@kinds
def test_the_page_names_every_parameter(name):
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert [parameter for parameter in KINDS[name].params if f"`{parameter}`" not in text] == []
