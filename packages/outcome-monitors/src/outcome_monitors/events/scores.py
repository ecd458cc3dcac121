"""Scores where traces are kept: every checked result on the span of its call, in Langfuse and in Phoenix, by their public APIs.

A score is 1 or 0, with codes, places and clauses, and no value of a result. It waits in a bounded queue, and a thread of its own sends
it. What a service refuses, or cannot be reached for, is counted and logged, and holds up nobody.
"""

import hashlib
import json
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from .background import Background
from .evaluation import LABELS, SCORES, SpanName, explained, span_of
from .event import Event

__all__ = ["ResultScore", "ScoreService", "ScoreSink"]

log = logging.getLogger("outcome_monitors.events")

PATIENCE = 10.0
"""Seconds that a message may take."""
PAUSES = (0.5, 2.0)
"""Seconds before each further try to reach a service."""
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST = 1000
"""Characters of an explanation."""
MOST_CLAUSES = 20


class ResultScore(NamedTuple):
    """What is said of one result."""

    id: str
    """The same for the same result, so that what is sent twice is there once."""
    place: SpanName
    label: str
    value: float
    explanation: str
    about: dict[str, Json]
    """The tool, whether the agent was told, and the clauses."""


class ScoreService(Protocol):
    """Where scores go, and in what form."""

    name: str
    url: str
    headers: Mapping[str, str]
    at_once: int
    """Scores that one message holds."""

    def message(self, scores: Sequence[ResultScore]) -> Json:
        """Return what is sent for some scores."""


class _UnreachableError(Exception):
    """The service did not answer, or not now."""


class ScoreSink:
    """A sink that scores what was checked on the span of its call; `put` neither waits nor raises."""

    def __init__(self, service: ScoreService, pauses: Sequence[float] = PAUSES) -> None:
        self.without_span = 0
        """Results that were checked and have no span: no `traceparent` came with the call, or it is not sampled."""
        self._service, self._pauses = service, pauses
        self._background = Background[ResultScore](f"scores to {service.name}", self._write)

    def put(self, event: Event) -> None:
        """Take an event; what was not checked has no score."""
        if event.outcome not in SCORES:
            return
        place = span_of(event.trace)
        if place is None:
            self.without_span += 1
        else:
            self._background.put(_score(event, place))

    def close(self) -> None:
        """Send what still waits."""
        self._background.close()
        if self.without_span:
            log.info("%d results have no score in %s: no span", self.without_span, self._service.name)

    @property
    def lost(self) -> int:
        """How many scores could not be sent."""
        return self._background.lost

    def _write(self, scores: Sequence[ResultScore]) -> None:
        step = self._service.at_once
        for start in range(0, len(scores), step):
            some = scores[start : start + step]
            try:
                self._send(json.dumps(self._service.message(some)).encode())
            except OutcomeMonitorsError as error:
                self._background.lose(str(error), len(some))
            except _UnreachableError as error:
                # It would say the same of the next.
                self._background.lose(str(error), len(scores) - start)
                return

    def _send(self, message: bytes) -> None:
        """Send a message; where the service is busy or away, again after a pause."""
        for pause in (*self._pauses, None):
            try:
                self._post(message)
            except _UnreachableError:
                if pause is None:
                    raise
                time.sleep(pause)
            else:
                return

    def _post(self, message: bytes) -> None:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "outcome-monitors",
            **self._service.headers,
        }
        request = urllib.request.Request(self._service.url, message, headers)  # noqa: S310 - http or https, as its maker has seen to
        try:
            with _opener.open(request, timeout=PATIENCE) as answer:
                answer.read(1024)
        except urllib.error.HTTPError as error:
            with error:
                words = f"{self._service.name} answered {error.code}"
            raise (_UnreachableError if error.code in TRANSIENT else OutcomeMonitorsError)(words) from None
        except OSError as error:
            reason = getattr(error, "reason", error)
            raise _UnreachableError(f"{self._service.name} cannot be reached: {reason}") from None


class _HereAlone(urllib.request.HTTPRedirectHandler):
    """Follows nobody: keys are for the address that was named."""

    def redirect_request(self, *_request: Any) -> None:
        return None


_opener = urllib.request.build_opener(_HereAlone)


def _score(event: Event, place: SpanName) -> ResultScore:
    clauses: list[Json] = [name.address for name in event.clauses[:MOST_CLAUSES]]
    text = f"{place.trace}-{place.span}-{event.tool}-{event.time!r}"
    return ResultScore(
        hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest(),
        place,
        LABELS[event.outcome],
        SCORES[event.outcome],
        explained(event)[:LONGEST],
        {"tool": event.tool, "told": event.advised, "clauses": clauses},
    )
