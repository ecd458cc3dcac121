"""Alarms to where people look: a webhook, or a command, told of what agents were told of.

The first alarm goes out at once. Those that follow within a pause gather, and go out together as one digest: however loud a tool is, nobody
hears of it more than once in a pause. A digest names tools, codes, places and clauses, and no value of a result.
"""

import json
import logging
import shlex
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urlsplit

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from .event import Event
from .sinks import PAUSE

__all__ = ["AlarmSink", "to_command", "to_webhook"]

log = logging.getLogger("outcome_monitors.events")

PATIENCE = 10.0
"""Seconds that a message may take."""
AT_THE_END = 3.0
MOST_SORTS = 100
"""Tools and clauses that are told apart in one digest; all further ones count alone."""
MOST_EXAMPLES = 10

Deliver = Callable[[dict[str, Json]], None]
"""Sends a message; it may raise."""


@dataclass(slots=True)
class _Digest:
    """The alarms that wait."""

    number: int = 0
    since: float = 0.0
    sorts: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[Json] = field(default_factory=list)

    def add(self, event: Event) -> None:
        self.since = self.since or event.time
        self.number += 1
        names = [name.address for name in event.clauses]
        sort = (event.tool, names[0] if names else "")
        if sort in self.sorts or len(self.sorts) < MOST_SORTS:
            self.sorts[sort] += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(
                {
                    "time": _written(event.time),
                    "tool": event.tool,
                    "session": event.session,
                    "codes": [found.code for found in event.violations],
                    "paths": [found.path for found in event.violations],
                    "clauses": names,
                }
            )

    def message(self) -> dict[str, Json]:
        tools = Counter[str]()
        for (tool, _), number in self.sorts.items():
            tools[tool] += number
        loudest = ", ".join(f"{tool} ({number})" for tool, number in tools.most_common(3))
        return {
            "text": f"{self.number} alarm{'' if self.number == 1 else 's'} since {_written(self.since)}: {loudest}",
            "alarms": self.number,
            "since": _written(self.since),
            "tools": dict(tools.most_common()),
            "clauses": {clause: number for (_, clause), number in self.sorts.most_common() if clause},
            "examples": self.examples,
        }


class AlarmSink:
    """A sink that hands on what agents were told of, by a thread of its own; `put` neither waits nor raises."""

    def __init__(self, deliver: Deliver, name: str, pause: float = PAUSE) -> None:
        self.lost = 0
        self._deliver, self._name, self._pause = deliver, name, pause
        self._digest = _Digest()
        self._wake = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def put(self, event: Event) -> None:
        """Take an event; those of which nobody was told are no alarms."""
        if not event.advised:
            return
        with self._wake:
            if self._closed:
                self.lost += 1
                return
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._digest.add(event)
            self._wake.notify()

    def close(self) -> None:
        """Send what still waits."""
        with self._wake:
            self._closed = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join(AT_THE_END)

    def _run(self) -> None:
        rests = 0.0
        while True:
            with self._wake:
                self._wake.wait_for(lambda: self._closed or self._digest.number)
                # The pause ends early when all ends.
                self._wake.wait_for(lambda: self._closed, max(0.0, rests - time.monotonic()))
                digest, self._digest = self._digest, _Digest()
                closed = self._closed
            if digest.number:
                self._send(digest)
                rests = time.monotonic() + self._pause
            if closed:
                return

    def _send(self, digest: _Digest) -> None:
        try:
            self._deliver(digest.message())
        except Exception as error:  # noqa: BLE001 - whoever is to be told is none of the host's trouble
            self.lost += digest.number
            log.warning("%s: %d alarms could not be sent: %s", self._name, digest.number, error)


def to_webhook(url: str) -> Deliver:
    """Return what posts a message to an address, as JSON."""
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).netloc:
        raise OutcomeMonitorsError(f"--webhook {url} is not an address as in https://hooks.example/alarms")

    def deliver(message: dict[str, Json]) -> None:
        headers = {"Content-Type": "application/json", "User-Agent": "outcome-monitors"}
        request = urllib.request.Request(url, json.dumps(message).encode(), headers)  # noqa: S310 - http or https, as was seen above
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - as above
                answer.read(1024)
        except urllib.error.HTTPError as error:
            # Its address may hold a secret, and its text names it.
            with error:
                raise OutcomeMonitorsError(f"the webhook answered {error.code}") from None
        except urllib.error.URLError as error:
            raise OutcomeMonitorsError(f"the webhook cannot be reached: {error.reason}") from None

    return deliver


def to_command(command: str) -> Deliver:
    """Return what runs a command with a message, as JSON, on its standard input; no shell is asked."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise OutcomeMonitorsError(f"--hook {command!r} is not a command: {error}") from None
    if not words:
        raise OutcomeMonitorsError("--hook names no command")

    def deliver(message: dict[str, Json]) -> None:
        done = subprocess.run(  # noqa: S603 - the host's own command; names of tools are in its input alone
            words,
            input=json.dumps(message).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            raise OutcomeMonitorsError(f"the command ended with status {done.returncode}")

    return deliver


def _written(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
