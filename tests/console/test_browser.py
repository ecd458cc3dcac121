"""The console in a browser: what is wrong in one look, an alarm that arrives while a proxy writes, muted, and muted after a restart."""

from pathlib import Path

import pytest

from tests.browser import browsing
from tests.console.release import FAULTS, after_a_release
from tests.console.serving import serving
from tests.events.shop import order
from tests.mcp.folders import learned, with_alarms

HOSTILE = "</code></pre><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
ARTICLES = "document.querySelectorAll('#alarm-list article').length"
FOCUS = "document.querySelector('article:focus')"
MUTED = "document.querySelector('#muted li code')"


def test_an_alarm_arrives_is_muted_and_stays_muted(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    learned(folder)
    with browsing(tmp_path / "browser") as browser:
        with serving(folder) as reader:
            browser.open(reader.origin)
            browser.until("document.getElementById('live').textContent === 'live'")
            assert browser.value(ARTICLES) == 0
            with_alarms(folder, order(1, status=HOSTILE), order(2), order(3, total=-1.0))
            browser.until(f"{ARTICLES} === 2")
            for key in "jjo":
                browser.press(key)
            browser.until(f"{FOCUS}.querySelector('mark')")
            assert browser.value(f"{FOCUS}.querySelector('mark').textContent").startswith('"</code>')
            assert browser.value("document.querySelectorAll('img, article script').length") == 0
            assert not browser.value("document.title").startswith("taken")
            assert "called the same tool again" in browser.value(f"{FOCUS}.innerText")
            # Of the newest nothing is known yet; what the agent does next comes by itself.
            for key in "ko":
                browser.press(key)
            browser.until(f"{FOCUS}.querySelector('[data-pending]')")
            with_alarms(folder, order(3))
            browser.until(f"{FOCUS}.innerText.includes('called the same tool again')")
            for key in "jm":
                browser.press(key)
            browser.until(MUTED)
            # What is decided is no longer wrong now.
            browser.until(f"{ARTICLES} === 1")
            muted = browser.value(f"{MUTED}.textContent")
            assert muted.startswith("get_order.status/domain")
        browser.until("document.getElementById('live').className === 'off'")
        with serving(folder) as reader:
            browser.open(reader.origin)
            assert browser.value(f"{MUTED}.textContent") == muted


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    after_a_release(folder)
    return folder


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_six_faults_among_fifty_changes_are_what_the_first_screen_shows(
    tmp_path: Path, release: Path, width: int
) -> None:
    seen = """[...document.querySelectorAll('article.alarm')]
        .filter((one) => one.getBoundingClientRect().bottom <= innerHeight).map((one) => one.innerText)"""
    with browsing(tmp_path / "browser") as browser, serving(release) as reader:
        browser.open(reader.origin, width)
        shown = browser.value(seen)
        assert {text.split()[0] for text in shown} == {*FAULTS}
        assert len(shown) == len(FAULTS) == browser.value("document.querySelectorAll('article.alarm').length")
        for tool, fault in FAULTS.items():
            [(place, value)] = fault.items()
            [text] = [text for text in shown if text.startswith(tool)]
            # Of a value of another type the type is said.
            assert place in text
            assert (str(value) if value is not None else "null") in text or "string" in text
        assert browser.value("document.documentElement.scrollWidth") <= width
        [heading] = browser.value(
            "[...document.querySelectorAll('#waiting article.release h3')].map((one) => one.innerText)"
        )[:1]
        assert heading.startswith("54 changes of 6 tools since")
        assert not browser.value("document.querySelector('#tools details').open")
        browser.open(f"{reader.origin}/?q=refund", width)
        assert [text.split()[0] for text in browser.value(seen)] == ["get_refund"]
