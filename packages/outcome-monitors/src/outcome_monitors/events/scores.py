"""Scores where traces are kept: every checked result on the span of its call, in Langfuse and in Phoenix, by their public APIs.

A score is 1 or 0, with codes, places and clauses, and no value of a result. What a service refuses, or cannot be reached for, is
counted and logged, and holds up nobody. Services are configured by the variables of their own clients.
"""

import hashlib
import logging
import re
import sys
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import starmap
from typing import NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from .delivery import UnreachableError, is_http, post
from .event import EVALUATION, LABELS, SCORES, Event, explained
from .sinks import Background, QueuedSink

log = logging.getLogger("outcome_monitors.events")

NO_SERVICE = "none"
"""Says that nothing is scored, whatever keys are set."""
PATIENCE = 5.0
"""Seconds for which a service that is busy is asked again."""
LONGEST = 1000
"""Characters of an explanation."""
MOST_CLAUSES = 20
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?", re.ASCII)
_SAMPLED = 1

Variables = Mapping[str, str]


class SpanName(NamedTuple):
    """A span, in hexadecimal digits."""

    trace: str
    span: str


Score = tuple[SpanName, Event]


class ScoreService(NamedTuple):
    """Where scores go, and in what form."""

    name: str
    url: str
    headers: Mapping[str, str]
    at_once: int
    """Scores that one message holds."""
    message: Callable[[Sequence[Score]], Json]
    """Returns what is sent for some scores."""


class ScoreSink(QueuedSink[Score]):
    """A sink that scores what was checked on the span of its call; `put` neither waits nor raises."""

    def __init__(self, service: ScoreService, patience: float = PATIENCE) -> None:
        self.without_span = 0
        """Results that were checked and have no span: no `traceparent` came with the call, or it is not sampled."""
        self._service = service
        name = f"scores to {service.name}"
        super().__init__(Background(name, self._write, patience=patience, batch=service.at_once))

    def put(self, event: Event) -> None:
        """Take an event; what was not checked has no score."""
        if event.outcome not in SCORES:
            return
        span = span_of(event.trace)
        if span is None:
            self.without_span += 1
        else:
            # No value of a result waits here.
            self._background.put((span, event._replace(receipt=None, payload=None)))

    def close(self) -> None:
        """Send what still waits."""
        super().close()
        if self.without_span:
            log.info("%d results have no score in %s: no span", self.without_span, self._service.name)

    def _write(self, scores: Sequence[Score]) -> None:
        service = self._service
        try:
            post(service.name, service.url, service.message(scores), service.headers)
        except UnreachableError:
            raise
        except OutcomeMonitorsError as error:
            # It would refuse them again.
            self._background.lose(str(error), len(scores))


def span_of(traceparent: str | None) -> SpanName | None:
    """Return the span that a W3C `traceparent` names, or without one the current span of OpenTelemetry; None where it is kept nowhere."""
    if traceparent is None:
        return _current_span()
    found = _TRACEPARENT.fullmatch(traceparent) if isinstance(traceparent, str) else None
    if found is None or not int(found[3], 16) & _SAMPLED:
        return None
    return SpanName(found[1], found[2]) if found[1].strip("0") and found[2].strip("0") else None


def chosen_services(names: Iterable[str], variables: Variables) -> list[ScoreService]:
    """Return the services that are named; where none is, those whose key is set."""
    wanted = [*dict.fromkeys(names)]
    for name in wanted:
        if name not in (*SERVICES, NO_SERVICE):
            raise OutcomeMonitorsError(f"there are no scores in {name!r}; known are {', '.join(SERVICES)}")
    if not wanted:
        wanted = [name for name, (keys, _) in SERVICES.items() if all(map(variables.get, keys))]
    return [SERVICES[name][1](variables) for name in wanted if name != NO_SERVICE]


def score_sinks(names: Iterable[str], variables: Variables) -> list[ScoreSink]:
    """Return the sinks of services."""
    return [ScoreSink(service) for service in chosen_services(names, variables)]


def _langfuse(variables: Variables) -> ScoreService:
    """Langfuse: a score of an observation, which is a span (`POST /api/public/scores`)."""
    if not all(map(variables.get, LANGFUSE_KEYS)):
        raise OutcomeMonitorsError(f"scores in Langfuse need {' and '.join(LANGFUSE_KEYS)}")
    place = variables.get("LANGFUSE_BASE_URL") or variables.get("LANGFUSE_HOST")
    url = f"{_base(place or 'https://cloud.langfuse.com', 'LANGFUSE_HOST')}/api/public/scores"
    basic = b64encode(":".join(variables[key] for key in LANGFUSE_KEYS).encode()).decode()
    # The service takes one at a time.
    return ScoreService(
        "langfuse", url, {"Authorization": f"Basic {basic}"}, 1, lambda scores: _langfuse_score(*scores[0])
    )


def _langfuse_score(span: SpanName, event: Event) -> Json:
    return {
        "id": _id(span, event),
        "traceId": span.trace,
        "observationId": span.span,
        "name": EVALUATION,
        "value": int(SCORES[event.outcome]),
        "dataType": "BOOLEAN",
        "comment": explained(event)[:LONGEST],
        "metadata": _about(event),
    }


def _phoenix(variables: Variables) -> ScoreService:
    """Phoenix: an annotation of a span (`POST /v1/span_annotations`); one that runs locally needs no key."""
    [name] = PHOENIX_KEYS
    key, place = variables.get(name), variables.get("PHOENIX_COLLECTOR_ENDPOINT")
    if not key and not place:
        raise OutcomeMonitorsError(
            "scores in Phoenix need PHOENIX_API_KEY, or PHOENIX_COLLECTOR_ENDPOINT of one without keys"
        )
    base = _base(place or "https://app.phoenix.arize.com", "PHOENIX_COLLECTOR_ENDPOINT")
    # Spans and scores take ways of their own: what is not put off would be refused where the span is not there yet.
    url = f"{base.removesuffix('/v1/traces')}/v1/span_annotations?sync=false"
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return ScoreService(
        "phoenix", url, headers, 100, lambda scores: {"data": [*starmap(_phoenix_annotation, scores)]}
    )


def _phoenix_annotation(span: SpanName, event: Event) -> Json:
    explanation = explained(event)[:LONGEST]
    return {
        "span_id": span.span,
        "name": EVALUATION,
        "annotator_kind": "CODE",
        "result": {
            "label": LABELS[event.outcome],
            "score": SCORES[event.outcome],
            **({"explanation": explanation} if explanation else {}),
        },
        "metadata": _about(event),
        "identifier": _id(span, event),
    }


LANGFUSE_KEYS = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
PHOENIX_KEYS = ("PHOENIX_API_KEY",)
SERVICES: Mapping[str, tuple[Sequence[str], Callable[[Variables], ScoreService]]] = {
    "langfuse": (LANGFUSE_KEYS, _langfuse),
    "phoenix": (PHOENIX_KEYS, _phoenix),
}
"""Each service with its keys."""


def _base(place: str, variable: str) -> str:
    if not is_http(place):
        raise OutcomeMonitorsError(f"{variable} is not an address as in https://traces.example")
    return place.rstrip("/")


def _current_span() -> SpanName | None:
    # Who has never imported it has no current span.
    api = sys.modules.get("opentelemetry.trace")
    if api is None:
        return None
    context = api.get_current_span().get_span_context()
    if not context.is_valid or not context.trace_flags & _SAMPLED:
        return None
    return SpanName(f"{context.trace_id:032x}", f"{context.span_id:016x}")


def _id(span: SpanName, event: Event) -> str:
    """Return the same for the same result, so that what is sent twice is there once."""
    text = f"{span.trace}-{span.span}-{event.tool}-{event.time!r}"
    return hashlib.blake2b(text.encode(errors="replace"), digest_size=16).hexdigest()


def _about(event: Event) -> Json:
    clauses = [name.address for name in event.clauses[:MOST_CLAUSES]]
    return {"tool": event.tool, "told": event.advised, "clauses": clauses}
