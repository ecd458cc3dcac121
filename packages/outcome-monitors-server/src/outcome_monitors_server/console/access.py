"""Who may look, who may decide, and who may write events.

On a local address requests must name one, so that a web page cannot reach it by pointing its own name at it; on any other, and
wherever a token was given, they must know the token. What changes something must come from a page of ours: its origin is the
address that was asked, and it carries a CSRF token. Every comparison takes the same time, whatever is named.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import read_text
from outcome_monitors.mcp.request_guard import (
    LEAST_TOKEN,
    TOKEN_VARIABLE as TOKEN,
    is_local,
    names_this_machine,
)
from outcome_monitors.storage.labels import NO_LABELS, Labels

__all__ = ["COOKIE", "READER", "WRITER", "WRITTEN_TO", "Access", "EventWriter", "event_writers"]

COOKIE = "outcome_monitors_console"
READER = "OUTCOME_MONITORS_READER_TOKEN"
"""Holds the token of those who may look and not decide."""
WRITER = "OUTCOME_MONITORS_WRITER_TOKEN"
"""Holds the token of a writer whose events bear the labels that they claim."""
WRITTEN_TO = "/api/events"
LARGEST_FILE = 2**20


class EventWriter(NamedTuple):
    """One who may write events, and nothing else."""

    token: str
    labels: Labels = NO_LABELS
    """What its events bear whatever they claim; what is empty is as they claim."""

    def __repr__(self) -> str:
        return f"EventWriter(labels={self.labels!r})"


def event_writers(file: Path | None, environment: Mapping[str, str]) -> list[EventWriter]:
    """Return the writers that a file names, one a line, and the one of the environment; no error shows a token."""
    text = "" if file is None else read_text(file, LARGEST_FILE, "file of writers")
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            token, *labels = re.split(r"\s+", line.strip(), maxsplit=1)
            found.append(_writer(token, labels[0] if labels else "", f"{file}:{number}"))
    if environment.get(WRITER):
        found.append(_writer(environment[WRITER], "", WRITER))
    return found


def _writer(token: str, labels: str, where: str) -> EventWriter:
    try:
        pairs = parse_qsl(labels, keep_blank_values=True, strict_parsing=bool(labels))
    except ValueError:
        pairs = [("", "")]
    if any(name not in Labels._fields or not value for name, value in pairs):
        raise OutcomeMonitorsError(
            f"{where}: behind a token stand labels as an address has them, as in service=orders&environment=live"
        )
    if len(token) < LEAST_TOKEN or not token.isascii() or not token.isprintable():
        raise OutcomeMonitorsError(
            f"{where}: a token has at least {LEAST_TOKEN} characters, for example of: openssl rand -hex 16"
        )
    return EventWriter(token, Labels.named(pairs))


class Access:
    """Decides on requests by their headers, cookies and forms."""

    def __init__(self, host: str, token: str, reader: str = "", writers: Sequence[EventWriter] = ()) -> None:
        self._local, self._token, self._reader, self._writers = is_local(host), token, reader, tuple(writers)
        self.form = secrets.token_urlsafe(32)
        """The CSRF token, which stands in every form of ours."""
        tokens = [each for each in (token, reader, *(writer.token for writer in writers)) if each]
        if not token and (reader or writers):
            raise OutcomeMonitorsError(
                f"{READER}, {WRITER} and --writers are for those who do one thing alone: set {TOKEN}, another one, for those who decide"
            )
        if len({*tokens}) < len(tokens):
            raise OutcomeMonitorsError(
                "two of those who look, decide or write events have the same token: give each its own"
            )
        if not self._local and not token:
            raise OutcomeMonitorsError(
                f"--listen {host} can be reached from elsewhere: set {TOKEN}, or give --token, or listen on 127.0.0.1"
            )

    def names_us(self, headers: Mapping[str, str]) -> bool:
        """Say whether a request asks for an address of ours."""
        return not self._local or names_this_machine(headers.get("Host", ""))

    def decides(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> bool:
        """Say whether whoever asks may decide, and not only look."""
        return not self._token or _names(headers, cookies, self._token)

    def writer(self, headers: Mapping[str, str]) -> EventWriter | None:
        """Return who may write events, and is asking; None where it is nobody of those."""
        bearer = headers.get("Authorization", "")
        # All are compared: how long it takes tells nothing of which it is.
        found = [writer for writer in self._writers if _equal(bearer, f"Bearer {writer.token}")]
        return found[0] if found else None

    def refusal(
        self, path: str, headers: Mapping[str, str], cookies: Mapping[str, str]
    ) -> tuple[int, str] | None:
        """Return what those are answered who have named no token, or one for something else; without words they are asked for one."""
        writes = self.writer(headers) is not None
        knows = self.decides(headers, cookies) or _names(headers, cookies, self._reader)
        if writes if path == WRITTEN_TO else knows and not writes:
            return None
        if writes:
            return 403, f"This token writes events, by POST to {WRITTEN_TO}, and does nothing else."
        if path != WRITTEN_TO:
            return 401, ""
        if knows:
            return 403, "Whoever asks here writes no events: console --writers names those who do."
        return 401, "Events are written with the token of a writer, as in Authorization: Bearer TOKEN."

    def ticket(self, token: str) -> str | None:
        """Return what a browser keeps in place of a token; None where it is none of ours."""
        ours = any(secret and _equal(token, secret) for secret in (self._token, self._reader))
        return _ticket(token) if ours else None

    def is_own_page(self, headers: Mapping[str, str]) -> bool:
        """Say whether a request that changes something comes from the address that it goes to."""
        if headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return False
        origin = headers.get("Origin")
        # An old browser, or none at all, may send neither; the CSRF token is asked for in any case.
        return origin is None or origin in (f"http://{headers.get('Host')}", f"https://{headers.get('Host')}")

    def has_form(self, given: str) -> bool:
        """Say whether a form is one of ours."""
        return _equal(given, self.form)


def _names(headers: Mapping[str, str], cookies: Mapping[str, str], token: str) -> bool:
    if not token:
        return False
    bearer = headers.get("Authorization", "")
    return _equal(bearer, f"Bearer {token}") or _equal(cookies.get(COOKIE, ""), _ticket(token))


def _ticket(token: str) -> str:
    return hmac.new(token.encode(), COOKIE.encode(), hashlib.sha256).hexdigest()


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(errors="replace"), other.encode(errors="replace"))
