"""The services that keep traces and take scores: where each is, what it is told, and which variables say so.

The variables are those of the services' own clients: whoever sends them traces has set them already.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from .evaluation import NAME

if TYPE_CHECKING:
    from .scores import ResultScore, ScoreService, ScoreSink

__all__ = ["NO_SERVICE", "SERVICES", "LangfuseScores", "PhoenixScores", "chosen_services", "score_sinks"]

NO_SERVICE = "none"
"""Says that nothing is scored, whatever keys are set."""

Variables = Mapping[str, str]


class LangfuseScores:
    """Langfuse: a score of an observation, which is a span (`POST /api/public/scores`)."""

    name = "langfuse"
    usual = "https://cloud.langfuse.com"
    keys = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
    at_once = 1

    def __init__(self, variables: Variables) -> None:
        if not all(variables.get(key) for key in self.keys):
            raise OutcomeMonitorsError(f"scores in Langfuse need {' and '.join(self.keys)}")
        public, secret = (variables[key] for key in self.keys)
        place = variables.get("LANGFUSE_BASE_URL") or variables.get("LANGFUSE_HOST") or self.usual
        self.url = f"{_base(place, 'LANGFUSE_HOST')}/api/public/scores"
        basic = b64encode(f"{public}:{secret}".encode()).decode()
        self.headers: Mapping[str, str] = {"Authorization": f"Basic {basic}"}

    def message(self, scores: Sequence["ResultScore"]) -> Json:
        """Return one score; the service takes no more at a time."""
        [score] = scores
        return {
            "id": score.id,
            "traceId": score.place.trace,
            "observationId": score.place.span,
            "name": NAME,
            "value": int(score.value),
            "dataType": "BOOLEAN",
            "comment": score.explanation,
            "metadata": score.about,
        }


class PhoenixScores:
    """Phoenix: an annotation of a span (`POST /v1/span_annotations`); one that runs locally needs no key."""

    name = "phoenix"
    usual = "https://app.phoenix.arize.com"
    keys = ("PHOENIX_API_KEY",)
    at_once = 100

    def __init__(self, variables: Variables) -> None:
        key, place = variables.get(self.keys[0]), variables.get("PHOENIX_COLLECTOR_ENDPOINT")
        if not key and not place:
            raise OutcomeMonitorsError(
                "scores in Phoenix need PHOENIX_API_KEY, or PHOENIX_COLLECTOR_ENDPOINT of one without keys"
            )
        base = _base(place or self.usual, "PHOENIX_COLLECTOR_ENDPOINT").removesuffix("/v1/traces")
        # Spans and scores take ways of their own: what is not put off would be refused where the span is not there yet.
        self.url = f"{base}/v1/span_annotations?sync=false"
        self.headers: Mapping[str, str] = {"Authorization": f"Bearer {key}"} if key else {}

    def message(self, scores: Sequence["ResultScore"]) -> Json:
        """Return some annotations."""
        return {"data": [_annotation(score) for score in scores]}


SERVICES: Mapping[str, Any] = {service.name: service for service in (LangfuseScores, PhoenixScores)}


def chosen_services(names: Iterable[str], variables: Variables) -> Iterator["ScoreService"]:
    """Yield the services that are named; where none is, those whose key is set."""
    wanted = [*dict.fromkeys(names)]
    if not wanted:
        wanted = [
            name for name, service in SERVICES.items() if all(variables.get(key) for key in service.keys)
        ]
    for name in wanted:
        if name not in (*SERVICES, NO_SERVICE):
            raise OutcomeMonitorsError(f"there are no scores in {name!r}; known are {', '.join(SERVICES)}")
        if name != NO_SERVICE:
            yield SERVICES[name](variables)


def score_sinks(names: Iterable[str], variables: Variables) -> list["ScoreSink"]:
    """Return the sinks of services."""
    services = [*chosen_services(names, variables)]
    if not services:
        return []
    from .scores import ScoreSink  # noqa: PLC0415 - who has no key need not load what speaks HTTP

    return [ScoreSink(service) for service in services]


def _annotation(score: "ResultScore") -> Json:
    return {
        "span_id": score.place.span,
        "name": NAME,
        "annotator_kind": "CODE",
        "result": {
            "label": score.label,
            "score": score.value,
            **({"explanation": score.explanation} if score.explanation else {}),
        },
        "metadata": score.about,
        "identifier": score.id,
    }


def _base(place: str, variable: str) -> str:
    found = urlsplit(place)
    if found.scheme not in ("http", "https") or not found.netloc:
        raise OutcomeMonitorsError(f"{variable} is not an address as in https://traces.example")
    return place.rstrip("/")
