"""Who may come in over HTTP: whom a request is for, which page it is made by, and what it has to know.

A web page can have a browser send requests to this machine. Browsers then say so (`Origin`, `Sec-Fetch-Site`), or name the page's
own host (`Host`, where its name was pointed here): such requests are refused before anything is passed on.
"""

import hmac
import re
import socket
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

from outcome_monitors.exceptions import OutcomeMonitorsError

from .routes import is_local

__all__ = ["TOKEN_HEADER", "Doors", "doors_of"]

TOKEN_HEADER = "Outcome-Monitors-Token"  # noqa: S105 - the name of one
"""Where a client puts the token if `Authorization` is for the server; it goes no further."""
TOKEN_VARIABLE = "OUTCOME_MONITORS_TOKEN"  # noqa: S105 - the name of one
LEAST_TOKEN = 16
_BEARER = "bearer "
_OF_OTHERS = frozenset({"cross-site", "same-site"})


class Said(Protocol):
    """The headers of a request."""

    def getall(self, key: str, default: list[str]) -> list[str]:
        """Return all values of a header."""


class Doors(NamedTuple):
    """What is asked of a request."""

    local: bool = False
    """Only this machine is served, and only under names of its own."""
    listens: str = ""
    """The name it listens at, which may be a spelling of its own."""
    token: str = ""
    origins: frozenset[str] = frozenset()
    """Pages elsewhere that may come in."""

    def refusal(self, headers: Said) -> tuple[int, str] | None:
        """Return a status and a sentence for a request that is refused."""
        if self.local and not self._is_for_us(headers.getall("Host", [])):
            return 403, "this proxy serves local clients alone"
        if not self._is_of_us(headers.getall("Origin", []), headers.getall("Sec-Fetch-Site", [])):
            return 403, "this proxy serves no pages of other sites; --origin names those that may come in"
        if self.token and not self._knows(headers):
            return 401, f"this proxy wants its token: Authorization: Bearer TOKEN, or {TOKEN_HEADER}: TOKEN"
        return None

    def own(self, headers: Sequence[tuple[bytes, bytes]]) -> Sequence[tuple[bytes, bytes]]:
        """Return the headers without the token, which is nobody else's."""
        if not self.token:
            return headers
        return [(name, value) for name, value in headers if not self._is_token(name.lower(), value)]

    def _is_for_us(self, hosts: Sequence[str]) -> bool:
        return len(hosts) == 1 and ((name := _name(hosts[0])) == self.listens or is_local(name))

    def _is_of_us(self, origins: Sequence[str], sites: Sequence[str]) -> bool:
        if origins:
            return all(
                origin in self.origins or (self.local and _is_local_page(origin)) for origin in origins
            )
        return not any(site.strip().lower() in _OF_OTHERS for site in sites)

    def _knows(self, headers: Said) -> bool:
        said = [*headers.getall(TOKEN_HEADER, []), *headers.getall("Authorization", [])]
        return any(self._is_ours(value) for value in said)

    def _is_token(self, name: bytes, value: bytes) -> bool:
        if name == TOKEN_HEADER.lower().encode():
            return True
        return name == b"authorization" and self._is_ours(value.decode("latin1"))

    def _is_ours(self, value: str) -> bool:
        value = value[len(_BEARER) :] if value[: len(_BEARER)].lower() == _BEARER else value
        # Bytes: a comparison of texts that are not ASCII raises.
        return hmac.compare_digest(
            value.strip().encode(errors="surrogateescape"), self.token.encode(errors="surrogateescape")
        )


def doors_of(
    host: str, token: str | None, origins: Collection[str] = (), environment: Mapping[str, str] | None = None
) -> Doors:
    """Return the doors of a proxy that listens at a host; an address that others can reach needs a token."""
    named = "" if environment is None else environment.get(TOKEN_VARIABLE, "")
    token = named if token is None else token
    local = is_local(host) or _resolves_here(host)
    if token and len(token) < LEAST_TOKEN:
        raise OutcomeMonitorsError(
            f"a token has at least {LEAST_TOKEN} characters, for example of: openssl rand -hex 16"
        )
    if not local and not token:
        raise OutcomeMonitorsError(
            f"others can reach {host}: set {TOKEN_VARIABLE} to a token that clients must know, or listen on localhost"
        )
    return Doors(local, host.lower(), token, frozenset(origin.rstrip("/") for origin in origins))


def _resolves_here(host: str) -> bool:
    """Say whether a name in any other spelling means this machine, and nothing else."""
    try:
        found = {str(place[4][0]) for place in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return False
    return bool(found) and all(map(is_local, found))


_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


@lru_cache(64)
def _name(host: str) -> str:
    """Return the name in a `Host` header, without the port; nothing where it is no plain name or address.

    What may stand in an address beside them (a user, a path, a zone) has no place here, and is read in more than one way.
    """
    found = _HOST.fullmatch(host)
    return "" if found is None else (found[1] or found[2]).lower()


@lru_cache(64)
def _is_local_page(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and is_local(parts.hostname or "")
    except ValueError:
        return False
