"""What names say of 500 tools that were labelled by hand; the page on effects shows the same figures."""

import re

import pytest

from bench._effects import PARTS, confusion, labelled_names
from tests.places import DOCS

PAGE = DOCS / "reference" / "effects.md"
NAMES = labelled_names()


@pytest.mark.parametrize("described", [False, True])
@pytest.mark.parametrize("part", PARTS)
def test_no_write_is_called_a_read(part, described):
    found = confusion([tool for tool in NAMES if tool.part == part], described=described)
    assert found.dangerous == ()
    assert found.said_to_read > found.reads / 2


def test_the_page_shows_the_confusion_matrix():
    shown = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if re.match(r"\| (tuned|held out)", line)
    ]
    assert shown == [
        row
        for part in PARTS
        for described, name in ((False, f"{part}, by name"), (True, f"{part}, and description"))
        for row in confusion([tool for tool in NAMES if tool.part == part], described=described).rows(name)
    ]
