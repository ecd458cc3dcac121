"""Alarms to where people look: a webhook, or a command, which is sent what agents were alerted of.

The first alarm goes out at once. Those that follow within a pause go out together, as one digest, when it is over. A digest names tools,
codes, places and clauses, and no value of a result.
"""

import json
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from .delivery import PATIENCE, is_http, post
from .event import SUPPRESSED, Event
from .sinks import MOST_ITEMS, Background, QueuedSink

PAUSE = 60.0
"""Seconds between two messages to people."""
MOST_SORTS = 100
"""Tools and clauses that are told apart in one digest; all further ones count alone."""
MOST_EXAMPLES = 10

Deliver = Callable[[dict[str, Json]], None]
"""Sends a message; it may raise."""


class AlarmSink(QueuedSink[Event]):
    """A sink that hands on what agents were alerted of; `put` neither waits nor raises."""

    def __init__(self, deliver: Deliver, name: str, pause: float = PAUSE) -> None:
        self._deliver, self._pause = deliver, pause
        super().__init__(Background(name, self._send, gather=0.0, batch=MOST_ITEMS))

    def put(self, event: Event) -> None:
        """Take an event: what an agent was alerted of, and that alerts end; all others are no alarms."""
        if event.advised or event.outcome == SUPPRESSED:
            self._background.put(event)

    def _send(self, events: Sequence[Event]) -> None:
        try:
            self._deliver(digest(events))
        except Exception as error:  # noqa: BLE001 - whoever is to be alerted is none of the host's trouble
            self._background.lose(f"{len(events)} alarms could not be sent: {error}", len(events))
        # Meanwhile the next ones gather.
        self._background.closed.wait(self._pause)


def digest(events: Sequence[Event]) -> dict[str, Json]:
    """Return the message of some alarms, in bounded space."""
    sorts, tools = Counter[tuple[str, str]](), Counter[str]()
    ended = [event for event in events if event.outcome == SUPPRESSED]
    alarms = [event for event in events if event.outcome != SUPPRESSED]
    for event in alarms:
        sort = (event.tool, event.clauses[0].address if event.clauses else "")
        if sort in sorts or len(sorts) < MOST_SORTS:
            sorts[sort] += 1
            tools[event.tool] += 1
    loudest = ", ".join(f"{tool} ({number})" for tool, number in tools.most_common(3))
    since, plural = _written(events[0].time), "" if len(alarms) == 1 else "s"
    said = [f"{len(alarms)} alarm{plural} since {since}: {loudest}"] if alarms else []
    said += [f"alerts have ended: {'; '.join(event.why for event in ended[:MOST_EXAMPLES])}"] if ended else []
    return {
        "text": "; ".join(said),
        "alarms": len(alarms),
        "suppressed": len(ended),
        "since": since,
        "tools": dict(tools.most_common()),
        "clauses": {clause: number for (_, clause), number in sorts.most_common() if clause},
        "examples": [
            {
                "time": _written(event.time),
                "tool": event.tool,
                "session": event.session,
                "codes": [found.code for found in event.violations],
                "paths": [found.path for found in event.violations],
                "clauses": [name.address for name in event.clauses],
            }
            for event in alarms[:MOST_EXAMPLES]
        ],
    }


def to_webhook(url: str) -> Deliver:
    """Return what posts a message to an address, as JSON."""
    if not is_http(url):
        raise OutcomeMonitorsError(f"--webhook {url} is not an address as in https://hooks.example/alarms")
    return lambda message: post("the webhook", url, message)


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
