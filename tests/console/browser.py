"""A browser without a window, spoken to by its own protocol: enough to open a page, ask it, and press keys."""

import asyncio
import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

PATIENCE = 30.0
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
OPTIONS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-port=0",
)


class Browser:
    """One tab."""

    def __init__(self, address: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._number = 0
        self._session, self._socket = self._loop.run_until_complete(_joined(address))

    def open(self, address: str) -> None:
        self.do("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def ask(self, expression: str) -> Any:
        """Return what an expression gives in the page."""
        answer = self.do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.ask(f"Boolean({expression})"):
                return
            time.sleep(0.05)
        raise AssertionError(
            f"{expression} did not come true; the page says {self.ask('document.body.innerText')}"
        )

    def press(self, key: str) -> None:
        for sort in ("keyDown", "keyUp"):
            self.do("Input.dispatchKeyEvent", type=sort, key=key, text=key if sort == "keyDown" else "")

    def picture(self, file: Path, width: int = 1200, height: int = 1000, *, dark: bool = False) -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.do("Emulation.setEmulatedMedia", features=[scheme])
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        file.write_bytes(base64.b64decode(self.do("Page.captureScreenshot")["data"]))

    def do(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._loop.run_until_complete(asyncio.wait_for(self._do(method, parameters), PATIENCE))

    async def _do(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            message = json.loads(await self._socket.receive_str())
            if message.get("id") == self._number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    def close(self) -> None:
        self._loop.run_until_complete(self._session.close())
        self._loop.close()


async def _joined(address: str) -> tuple[aiohttp.ClientSession, aiohttp.ClientWebSocketResponse]:
    session = aiohttp.ClientSession()
    async with session.put(f"http://{address}/json/new?about:blank") as answer:
        place = json.loads(await answer.text())["webSocketDebuggerUrl"]
    return session, await session.ws_connect(place, max_msg_size=0)


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """Start a browser whose files lie in a folder; skip where there is none."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no browser is on this machine: none of {', '.join(NAMES)}")
    process = subprocess.Popen(
        [program, *OPTIONS, f"--user-data-dir={folder}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        browser = Browser(f"127.0.0.1:{_port(folder / 'DevToolsActivePort', process)}")
        try:
            yield browser
        finally:
            browser.do("Browser.close")
            browser.close()
    finally:
        _ended(process)


def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        lines = file.read_text().splitlines() if file.exists() else []
        if len(lines) > 1:
            return int(lines[0])
        time.sleep(0.05)
    pytest.skip(f"the browser does not start here (status {process.poll()})")


def _ended(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
