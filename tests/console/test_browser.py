"""The console in a browser: open, see an alarm arrive while a proxy writes, mute it, and find it muted after a restart."""

from pathlib import Path

from tests.browser import browsing
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
            browser.until("document.querySelector('article button[value=unmute]')")
            muted = browser.value(f"{MUTED}.textContent")
            assert muted.startswith("get_order.status/domain")
        browser.until("document.getElementById('live').className === 'off'")
        with serving(folder) as reader:
            browser.open(reader.origin)
            assert browser.value(f"{MUTED}.textContent") == muted
