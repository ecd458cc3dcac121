"""Messages over HTTP, as JSON, from a thread that nobody waits for."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

PATIENCE = 10.0
"""Seconds that a message may take."""
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses of a service that is busy."""
_NOTHING: Mapping[str, str] = {}


class UnreachableError(OutcomeMonitorsError):
    """The service did not answer, or not now."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Keys are for the address that was named."""

    def redirect_request(self, *_request: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def is_http(url: str) -> bool:
    """Say whether messages can be sent to an address."""
    return urlsplit(url).scheme in ("http", "https") and bool(urlsplit(url).netloc)


def post(name: str, url: str, message: Json, headers: Mapping[str, str] = _NOTHING) -> None:
    """Send a message; what goes wrong is said by the name of the service, since its address may hold a secret."""
    headers = {"Content-Type": "application/json", "User-Agent": "outcome-monitors", **headers}
    request = urllib.request.Request(url, json.dumps(message).encode(), headers)  # noqa: S310 - http or https: `is_http`
    try:
        with _opener.open(request, timeout=PATIENCE) as answer:
            answer.read(1024)
    except urllib.error.HTTPError as error:
        with error:
            words = f"{name} answered {error.code}"
        raise (UnreachableError if error.code in TRANSIENT else OutcomeMonitorsError)(words) from None
    except OSError as error:
        raise UnreachableError(f"{name} cannot be reached: {getattr(error, 'reason', error)}") from None
