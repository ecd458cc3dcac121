"""The page in a real browser: on a phone, on a desk and on paper."""

import base64
import re

import pytest

from outcome_monitors.reports import page, section, table
from outcome_monitors_server.report import as_html
from tests.reports.hostile import HOSTILE
from tests.reports.team.browser import browsing, found
from tests.reports.team.observations import shop
from tests.reports.team.test_page import _hostile

PROGRAM = found()

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium on this machine")

COMPLAINTS = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    assert PROGRAM is not None
    with browsing(PROGRAM, tmp_path_factory.mktemp("browser")) as opened:
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


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_is_wider_than_the_screen_and_nothing_complains(browser, pages, width):
    assert pages
    for each in pages:
        browser.open(each, width)
        browser.value("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert browser.value("document.documentElement.scrollWidth") <= width, each
        assert browser.value("typeof window.ran") == "undefined"
        assert browser.heard(*COMPLAINTS) == []
        asked = [event["params"]["request"]["url"] for event in browser.heard("Network.requestWillBeSent")]
        assert asked == [each.as_uri()]


def test_a_wide_table_is_seen_to_be_wide_by_this_test(browser, tmp_path):
    """Were the scroll not the table's own, the page would have it."""
    made = page("t", "l", section("s", table(["W" * 40] * 9, [["W" * 40] * 9])))
    file = tmp_path / "wide.html"
    file.write_text(made.replace("overflow-x: auto; margin: 0.5rem", "margin: 0.5rem"), encoding="utf-8")
    browser.open(file, 390)
    assert browser.value("document.documentElement.scrollWidth") > 390


def test_words_are_large_enough_on_a_phone(browser, pages):
    browser.open(pages[0], 390)
    smallest = browser.value(
        "Math.min(...[...document.querySelectorAll('svg text')].map(each => each.getBoundingClientRect().height))"
    )
    assert smallest >= 9


def test_the_paper_has_the_receipts_also_where_they_are_folded(browser, pages):
    browser.open(pages[0], 1280)
    browser.value("document.querySelectorAll('details').forEach(each => each.open = false)")
    height = "document.querySelector('#{} details').getBoundingClientRect().height"
    assert browser.value(height.format("receipts")) < 60
    browser.ask("Emulation.setEmulatedMedia", media="print")
    assert browser.value(height.format("receipts")) > 100
    assert browser.value(height.format("contracts")) < 60
    assert browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.ask("Emulation.setEmulatedMedia", media="")
    printed = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    assert printed.startswith(b"%PDF-")
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 20


def test_dark_and_light(browser, pages):
    browser.open(pages[0], 390)
    colours = []
    for scheme in ("light", "dark"):
        browser.ask(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )
        colours.append(browser.value("getComputedStyle(document.body).backgroundColor"))
    browser.ask("Emulation.setEmulatedMedia", features=[])
    assert colours == ["rgb(251, 250, 247)", "rgb(20, 24, 30)"]


def test_links_and_folds_can_be_reached_by_key(browser, pages):
    browser.open(pages[0], 390)
    reached = set()
    for _ in range(30):
        for kind in ("keyDown", "keyUp"):
            browser.ask("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.add(browser.value("document.activeElement.tagName"))
    assert {"A", "SUMMARY"} <= reached
