"""The page in a real browser: on a phone, on a desk and on paper."""

import pytest

from outcome_monitors_server.report import as_html
from tests.browser import browsing
from tests.reports.hostile import HOSTILE
from tests.reports.team.observations import shop
from tests.reports.team.test_page import _hostile

COMPLAINTS = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with browsing(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def pages(tmp_path):
    """The page of the shop, and one of everything hostile and long."""
    bad = (
        "".join(text.encode(errors="ignore").decode() for text in HOSTILE) + "<script>window.ran = 1</script>"
    )
    made = {"shop": as_html(shop()), "hostile": as_html(_hostile(bad)), "long": as_html(_hostile("W" * 5000))}
    for name, text in made.items():
        (tmp_path / f"{name}.html").write_text(text, encoding="utf-8")
    return [tmp_path / f"{name}.html" for name in made]


@pytest.mark.parametrize("width", [320, 1280])
def test_nothing_is_wider_than_the_screen_and_nothing_complains(browser, pages, width):
    for each in pages:
        browser.open(each, width)
        browser.value("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert browser.value("document.documentElement.scrollWidth") <= width, each
        assert browser.value("typeof window.ran") == "undefined"
        assert browser.heard(*COMPLAINTS) == []
        asked = [event["params"]["request"]["url"] for event in browser.heard("Network.requestWillBeSent")]
        assert asked == [each.as_uri()]
    browser.open(pages[0], 390)
    heights = "[...document.querySelectorAll('svg text')].map(each => each.getBoundingClientRect().height)"
    assert browser.value(f"Math.min(...{heights})") >= 9


def test_the_paper_has_the_receipts_also_where_they_are_folded(browser, pages):
    browser.open(pages[0], 1280)
    browser.value("document.querySelectorAll('details').forEach(each => each.open = false)")
    height = "document.querySelector('#{} details').getBoundingClientRect().height"
    assert browser.value(height.format("receipts")) < 60
    browser.do("Emulation.setEmulatedMedia", media="print")
    assert browser.value(height.format("receipts")) > 100
    assert browser.value(height.format("contracts")) < 60
    browser.do("Emulation.setEmulatedMedia", media="")


def test_links_and_folds_can_be_reached_by_key(browser, pages):
    browser.open(pages[0], 390)
    reached = set()
    for _ in range(30):
        browser.press("Tab", 9)
        reached.add(browser.value("document.activeElement.tagName"))
    assert {"A", "SUMMARY"} <= reached
