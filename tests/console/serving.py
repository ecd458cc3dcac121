"""A console that serves, in a thread of this process, and one who asks it over HTTP."""

import asyncio
import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from aiohttp import web

from outcome_monitors.learning.folder import StateFolder
from outcome_monitors_server.console.server import console_app

PATIENCE = 20.0


class Reply(NamedTuple):
    status: int
    headers: dict[str, str]
    text: str


class Reader:
    """Asks a console."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.origin = f"http://127.0.0.1:{port}"

    def ask(self, path: str, method: str = "GET", body: str | bytes | None = None, **headers: str) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Reply(answer.status, dict(answer.getheaders()), answer.read().decode())
        finally:
            connection.close()

    def form(self) -> str:
        """Return the secret that the page's forms carry."""
        found = re.search(r'data-form="([^"]+)"', self.ask("/").text)
        assert found
        return found[1]

    def send(self, fields: dict[str, str], path: str = "/decide", **headers: str) -> Reply:
        sort = "application/x-www-form-urlencoded"
        sent = {"Origin": self.origin, "Accept": "application/json", **headers}
        return self.ask(path, "POST", urlencode(fields), Content_Type=sort, **sent)

    def decide(self, **fields: str) -> Reply:
        return self.send({"form": self.form(), **fields})

    @contextmanager
    def feed(self, **headers: str) -> Iterator[Iterator[tuple[str, dict[str, object]]]]:
        """Follow the feed: each event's sort, with its data."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", "/feed", headers={name.replace("_", "-"): v for name, v in headers.items()})
        answer = connection.getresponse()
        try:
            yield _events(answer)
        finally:
            answer.close()
            connection.close()


def _events(answer: http.client.HTTPResponse) -> Iterator[tuple[str, dict[str, object]]]:
    sort = ""
    while line := answer.readline().decode().strip("\n") or " ":
        if line.startswith("event: "):
            sort = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield sort, json.loads(line.removeprefix("data: "))


@contextmanager
def serving(
    folder: Path | str,
    host: str = "127.0.0.1",
    token: str = "",
    looks: str = "",
) -> Iterator[Reader]:
    """Serve the console of a folder for a while."""
    state = StateFolder.at(folder)
    loop, ready, ports = asyncio.new_event_loop(), threading.Event(), list[int]()
    stop = asyncio.Event()

    async def run() -> None:
        runner = web.AppRunner(
            console_app(state, host, token, looks), handler_cancellation=True, shutdown_timeout=0.1
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        ports.append(runner.addresses[0][1])
        ready.set()
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield Reader(ports[0])
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(PATIENCE)
        loop.close()
        state.close()
