"""The report of a study in a real browser: on a phone the page does not scroll sideways."""

import pytest

from outcome_monitors_study.analysis import analyse
from outcome_monitors_study.manifest import Design, freeze, load
from outcome_monitors_study.report import report
from outcome_monitors_study.run import run
from tests.browser import browsing


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The page of a study whose names are as long as names come."""
    folder = tmp_path_factory.mktemp("phone") / "a-study-with-a-name-that-somebody-thought-about-for-long"
    design = Design(
        environment={"environment": "world", "workflows": 16, "seed": 0, "suites": ["toolmaze"]},
        agents=("scripted-careful", "scripted-follows:0.7"),
        arms=("baseline", "advisory-v2", "always-warn-stripped"),
        strata=("C3/P3", "C3/P0"),
        per_stratum=1,
        profile="paper",
    )
    freeze(folder, design)
    run(folder)
    page = folder / "report.html"
    page.write_text(report(analyse(load(folder))), encoding="utf-8")
    return page


def test_nothing_is_wider_than_the_screen_and_words_can_be_read(file, tmp_path):
    with browsing(tmp_path / "browser") as browser:
        for width in (320, 390, 1280):
            browser.open(file, width)
            assert browser.value("document.documentElement.scrollWidth") <= width
        browser.open(file, 390)
        heights = (
            "[...document.querySelectorAll('svg text')].map(each => each.getBoundingClientRect().height)"
        )
        assert browser.value(f"Math.min(...{heights})") >= 9
