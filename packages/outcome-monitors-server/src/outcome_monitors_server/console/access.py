"""Who may look, and who may decide.

On a local address requests must name one, so that a web page cannot reach it by pointing its own name at it; on any other, and
wherever a token was given, they must know the token. What changes something must come from a page of ours: its origin is the
address that was asked, and it carries a CSRF token. Every comparison takes the same time, whatever is named.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mcp.request_guard import TOKEN_VARIABLE as TOKEN, is_local, names_this_machine

COOKIE = "outcome_monitors_console"
READER = "OUTCOME_MONITORS_READER_TOKEN"
"""Holds the token of those who may look and not decide."""


class Access:
    """Decides on requests by their headers, cookies and forms."""

    def __init__(self, host: str, token: str, reader: str = "") -> None:
        self._local, self._token, self._reader = is_local(host), token, reader
        self.form = secrets.token_urlsafe(32)
        """The CSRF token, which stands in every form of ours."""
        if reader and (not token or reader == token):
            raise OutcomeMonitorsError(
                f"{READER} is for those who look alone: set {TOKEN}, another one, for those who decide"
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

    def looks(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> bool:
        """Say whether whoever asks may look."""
        return self.decides(headers, cookies) or _names(headers, cookies, self._reader)

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
