"""A headless Chromium, driven through its debugging pipe: messages of JSON, each ended by a zero byte."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 30.0
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--remote-debugging-pipe",
)


class Browser:
    """One tab."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands = os.fdopen(commands, "wb", buffering=0)
        self._answers = os.fdopen(answers, "rb")
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **params: Any) -> Any:
        """Send a command and return its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer
        return answer["result"]

    def open(self, page: Path | str, width: int = 1280) -> None:
        """Load a page, on a screen of this width."""
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=844,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        self.events.clear()
        self.do("Page.navigate", url=page.as_uri() if isinstance(page, Path) else page)
        while not self.heard("Page.loadEventFired"):
            self.events.append(self._next())

    def heard(self, *methods: str) -> list[dict[str, Any]]:
        """Return the events of these names since the page was opened."""
        return [event for event in self.events if event.get("method") in methods]

    def value(self, expression: str) -> Any:
        """Return what an expression is on the page."""
        return self.do("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.value(f"Boolean({expression})"):
            assert time.monotonic() < end, f"{expression}: {self.value('document.body.innerText')}"
            time.sleep(0.05)

    def press(self, key: str, code: int = 0) -> None:
        """Press a key, as a person does."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" and len(key) == 1 else {}
            self.do("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, **text)

    def close(self) -> None:
        """Say goodbye."""
        self._session = None
        self.do("Browser.close")
        self._commands.close()
        self._answers.close()

    def _next(self) -> dict[str, Any]:
        read = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser has gone"
            read += byte
        answer: dict[str, Any] = json.loads(read)
        return answer


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """Start a browser with a profile of its own; skip where there is none on this machine."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no browser is on this machine: none of {', '.join(NAMES)}")
    command_end, commands = os.pipe()
    answers, answer_end = os.pipe()
    # The browser reads descriptor 3 and writes 4; a shell puts ours there.
    script = f'exec "$0" "$@" 3<&{command_end} 4>&{answer_end}'
    process = subprocess.Popen(
        ["bash", "-c", script, program, *FLAGS, f"--user-data-dir={folder}"],
        pass_fds=(command_end, answer_end),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(command_end)
    os.close(answer_end)
    browser = Browser(commands, answers)
    try:
        yield browser
    finally:
        browser.close()
        process.wait(20)
