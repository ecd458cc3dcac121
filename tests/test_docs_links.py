"""Links between pages lead somewhere, and every page can be found."""

import re
from pathlib import Path

import pytest

from tests.places import DOCS, ROOT

PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
HEADING = re.compile(r"^#{1,6} (?P<title>.*)$", re.MULTILINE)


def links(page: Path) -> list[str]:
    """Return the targets of a page's links that stay in the project."""
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    return [link["target"] for link in LINK.finditer(prose) if "://" not in link["target"]]


def anchors(page: Path) -> set[str]:
    """Return what a heading can be linked by: small letters, spaces as hyphens, no punctuation."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    titles = (heading["title"] for heading in HEADING.finditer(text))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def leads_somewhere(page: Path, target: str) -> bool:
    """Say whether a link is relative, stays in the project, and names a file and a heading that are there."""
    name, _, anchor = target.partition("#")
    file = (page.parent / name).resolve() if name else page
    there = not name.startswith("/") and file.is_relative_to(ROOT) and file.exists()
    return there and (not anchor or anchor in anchors(file))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    assert [target for target in links(page) if not leads_somewhere(page, target)] == []


def test_every_page_is_in_the_index():
    """The pages of a folder may stand in an index of their own, which the first index has."""
    first = DOCS / "index.md"
    listed = {
        (index.parent / target).resolve() for index in DOCS.rglob("index.md") for target in links(index)
    }
    assert [page.name for page in PAGES if page not in listed and page != first] == []


def test_every_file_that_contributors_are_sent_to_is_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:src|tests|docs|bench|compat|\.ci)/[\w./-]+)`", text)
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []
