"""The console in a browser: open, see an alarm arrive while a proxy writes, mute it, and find it muted after a restart."""

import os
import time
from pathlib import Path

from outcome_monitors.events import Event, Store
from outcome_monitors.model import ClauseName, Violation
from tests.console.browser import Browser, browsing
from tests.console.serving import serving
from tests.events.shop import order
from tests.proxy.folders import learned, with_alarms

HOSTILE = "</code></pre><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
PICTURES = os.environ.get("OUTCOME_MONITORS_PICTURES")
"""Where to leave pictures of the pages, for those who want to look at them."""
ARTICLES = "document.querySelectorAll('#alarm-list article').length"
FIRST = "document.querySelector('#alarm-list article')"


def pictured(browser: Browser, name: str, **form) -> None:
    if PICTURES:
        browser.picture(Path(PICTURES) / f"{name}.png", **form)


def with_long_names(folder: Path) -> None:
    """Have an alarm come of several clauses, whose names are longer than a phone is wide."""
    clauses = [
        ClauseName(f"{number}f3e21b31bc", f"get_order.shipping_addresses[].{number}/required#{number}f3e21")
        for number in range(3)
    ]
    broken = tuple(Violation("missing_learned_field", name.address, True, None, "gone") for name in clauses)
    store = Store(folder / "events.sqlite")
    store.put(Event(time.time(), "s", "get_order", "flagged", broken, advised=True, clauses=tuple(clauses)))
    store.close()


def test_an_alarm_arrives_is_muted_and_stays_muted(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    learned(folder)
    with browsing(tmp_path / "browser") as browser:
        with serving(folder) as reader:
            browser.open(reader.origin)
            browser.until("document.getElementById('live').textContent === 'live'")
            assert browser.ask(ARTICLES) == 0
            with_alarms(folder, order(1, status=HOSTILE), order(2), order(3, total=-1.0))
            browser.until(f"{ARTICLES} === 2")
            pictured(browser, "arrived")
            browser.press("j")
            browser.press("j")
            browser.press("o")
            browser.until("document.querySelector('article:focus mark')")
            assert browser.ask("document.querySelector('article:focus mark').textContent").startswith(
                '"</code>'
            )
            assert browser.ask("document.querySelectorAll('img, article script').length") == 0
            assert not browser.ask("document.title").startswith("taken")
            assert "called the same tool again" in browser.ask(
                "document.querySelector('article:focus').innerText"
            )
            pictured(browser, "open")
            # Of the newest nothing is known yet; what the agent does next comes by itself.
            browser.press("k")
            browser.press("o")
            browser.until("document.querySelector('article:focus [data-pending]')")
            with_alarms(folder, order(3))
            browser.until(
                "document.querySelector('article:focus').innerText.includes('called the same tool again')"
            )
            browser.press("j")
            browser.press("m")
            browser.until("document.querySelector('#muted li code')")
            browser.until("document.querySelector('article button[value=unmute]')")
            muted = browser.ask("document.querySelector('#muted li code').textContent")
            assert muted.startswith("get_order.status/domain")
            pictured(browser, "muted", dark=True)
        browser.until("document.getElementById('live').className === 'off'")
        with serving(folder) as reader:
            browser.open(reader.origin)
            assert browser.ask("document.querySelector('#muted li code').textContent") == muted
            assert browser.ask("document.querySelectorAll('article button[value=unmute]').length") == 1
            with_long_names(folder)
            for width in (1200, 360):
                for path in ("", "/contracts?q=status", "/tool?name=get_order"):
                    browser.do(
                        "Emulation.setDeviceMetricsOverride",
                        width=width,
                        height=800,
                        deviceScaleFactor=1,
                        mobile=False,
                    )
                    browser.open(f"{reader.origin}{path}")
                    # Nothing makes the page itself wider than a phone, however long the names of its clauses.
                    assert browser.ask("document.documentElement.scrollWidth") <= width
                    pictured(browser, f"page{width}{path[1:5]}", width=width, height=1600)
