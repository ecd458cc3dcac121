"""The pages on rule kinds are there, their examples give what they say, and the generated table is current."""

import doctest

import pytest

from outcome_monitors.checking.forms import CODE
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.anomalous_text import MARKS
from outcome_monitors.rules.built_in import BUILT_IN_KINDS
from tests.pages import keep, says, table, with_part
from tests.places import DOCS
from tests.rules.marks import FOUND

PAGES = DOCS / "reference" / "rules"
INDEX = PAGES / "index.md"
BUILT_IN_PAGE = PAGES / "built-in.md"
LEARNED = [name for name in KINDS if name not in BUILT_IN_KINDS]
kinds = pytest.mark.parametrize("name", LEARNED)
examples = pytest.mark.parametrize("name", [*LEARNED, BUILT_IN_PAGE.stem])


def kinds_table() -> str:
    """Return the table of the kinds that contracts have."""
    rows = [
        (
            f"[`{kind.name}`]({kind.name}.md)",
            f"`{kind.code}`",
            says(kind),
            ", ".join(sorted(kind.mining.profiles)),
        )
        for kind in KINDS.values()
        if kind.name not in BUILT_IN_KINDS
    ]
    return table(("kind", "violation code", "what it says", "profiles"), rows)


EXAMPLES = {
    "reported_failure": '`{"success": false}`, `"Tool call timed out."`',
    "failed_items": '`[{"id": 1}, {"id": 2, "error": "denied"}]`',
    "missing_content": '`"Loading..."`, `"Checking your browser"` for a page',
    "garbled_text": '`"K\u00c3\u00b6ln, M\u00c3\u00bcnchen"`, `"%PDF-1.7"`, JSON that was cut off',
    "request_honored": "`status=open`, and a row is `closed`; `limit=2`, and there are 3",
    "write_applied": '`{"name": "a", "size": 3}` was sent, and `{"name": "a"}` comes back',
    "own_claims": '`{"count": 2}` with 5 items; `end` before `start`',
    "impossible_value": '`{"latitude": 139.7}`, `{"quantity": -2}`, `{"email": "[object Object]"}`',
    "lost_write": '`create` succeeds, then "No such customer: cus_1815"',
    "false_empty": 'a search finds nothing, then `create` says "already exists", or a list shows it',
    "unknown_id": 'a list has `"order_id": "W7"`, then `get_order` says "Order W7 not found"',
    "other_id": "`get_recipe` for a name that a list has, and the `id` of another comes back",
    "other_count": "`count_orders` says 7, and `list_orders` has 5",
    "repeated_answer": "the same long text for `city=Oslo` and `city=Rome`",
    "deleted_shown": "`delete` succeeds, and a list still has it",
    "stale_version": "`updated_at` is earlier than in an earlier result",
    "same_form": "after eight objects a text; a number that comes as text; most fields gone",
    "truncated": '`{"has_more": true}`, "... 4000 more characters"',
}
"""One example of each built-in kind."""


def built_in_table() -> str:
    """Return the table of the built-in kinds."""
    rows = [
        (f"`{name}`", f"`{kind.code}`", says(kind), EXAMPLES[name]) for name, kind in BUILT_IN_KINDS.items()
    ]
    return table(("kind", "violation code", "what it says", "flagged, for example"), rows)


def test_the_table_of_built_in_rules_is_current():
    text = BUILT_IN_PAGE.read_text(encoding="utf-8")
    keep(BUILT_IN_PAGE, with_part(text, "built-in", built_in_table()))


def test_the_tables_of_the_index_are_current():
    rows = [
        (f"[`{kind.name}`](built-in.md)", f"`{kind.code}`", says(kind)) for kind in BUILT_IN_KINDS.values()
    ]
    built_in = table(("built-in kind", "violation code", "what it says"), rows)
    text = with_part(INDEX.read_text(encoding="utf-8"), "built-in codes", built_in)
    keep(INDEX, with_part(text, "kinds", kinds_table()))


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
    assert {page.stem for page in PAGES.glob("*.md")} - {"index", BUILT_IN_PAGE.stem} <= set(LEARNED)


@examples
def test_the_examples_give_what_the_page_says(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(PAGES / f"{name}.md"), module_relative=False, encoding="utf-8")
    assert done.attempted > 0
    assert done.failed == 0


@kinds
def test_the_page_names_every_parameter(name):
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert [parameter for parameter in KINDS[name].params if f"`{parameter}`" not in text] == []
