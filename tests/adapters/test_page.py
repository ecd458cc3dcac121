"""The page on adapters is true."""

import doctest

from tests.places import DOCS


def test_the_examples_give_what_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = doctest.testfile(str(DOCS / "guides" / "adapters.md"), module_relative=False, encoding="utf-8")
    assert done.attempted > 8
    assert done.failed == 0
