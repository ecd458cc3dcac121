"""Who may come in over HTTP: whom a request is for, which page it is made by, and what it has to know.

A web page can have a browser send requests to this machine. Browsers then say so (`Origin`, `Sec-Fetch-Site`), or name the page's
own host (`Host`, where its name was pointed here): such requests are refused before anything is passed on.
"""

import hmac
import re
import socket
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from outcome_monitors.exceptions import OutcomeMonitorsError

TOKEN_HEADER = "Outcome-Monitors-Token"  # noqa: S105 - the name of one
"""Where a client puts the token if `Authorization` is for the server; it goes no further."""
TOKEN_VARIABLE = "OUTCOME_MONITORS_TOKEN"  # noqa: S105 - the name of one
LEAST_TOKEN = 16
_BEARER = "bearer "
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9_.-]+))(?::[0-9]{1,5})?", re.IGNORECASE | re.ASCII)


GetAll = Callable[[str, Any], Sequence[str]]
"""Returns all values of a header, or what is given where there is none."""


class RequestGuard(NamedTuple):
    """What is asked of a request."""

    local: bool = False
    """Only this machine is served, and only under names of its own."""
    listens: str = ""
    """The name it listens at, which may be a spelling of its own."""
    token: str = ""
    origins: frozenset[str] = frozenset()
    """Pages elsewhere that may come in."""

    @classmethod
    def at(
        cls,
        host: str,
        token: str | None,
        origins: Collection[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> "RequestGuard":
        """Return the guard of a proxy that listens at a host; an address that others can reach needs a token."""
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
        return cls(local, host.lower(), token, frozenset(origin.rstrip("/") for origin in origins))

    def refusal(self, header: GetAll) -> tuple[int, str] | None:
        """Return a status and a sentence for a request that is refused."""
        hosts = header("Host", [])
        if self.local and not (len(hosts) == 1 and names_this_machine(hosts[0], self.listens)):
            return 403, "this proxy serves local clients alone"
        if not self._is_of_us(header("Origin", []), header("Sec-Fetch-Site", [])):
            return 403, "this proxy serves no pages of other sites; --origin names those that may come in"
        said = [*header(TOKEN_HEADER, []), *header("Authorization", [])]
        if self.token and not any(map(self._is_token, said)):
            return 401, f"this proxy wants its token: Authorization: Bearer TOKEN, or {TOKEN_HEADER}: TOKEN"
        return None

    def without_token(self, headers: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
        """Yield the headers without the token, which is nobody else's."""
        for name, value in headers:
            lower = name.lower()
            ours = lower == TOKEN_HEADER.lower() or (lower == "authorization" and self._is_token(value))
            if not (self.token and ours):
                yield name, value

    def _is_of_us(self, origins: Sequence[str], sites: Sequence[str]) -> bool:
        if origins:
            return all(
                origin in self.origins or (self.local and _is_local_page(origin)) for origin in origins
            )
        return not any(site.strip().lower() in ("cross-site", "same-site") for site in sites)

    def _is_token(self, value: str) -> bool:
        value = value[len(_BEARER) :] if value[: len(_BEARER)].lower() == _BEARER else value
        # Bytes: a comparison of texts that are not ASCII raises.
        return hmac.compare_digest(
            value.strip().encode(errors="surrogateescape"), self.token.encode(errors="surrogateescape")
        )


def names_this_machine(host: str, listens: str = "") -> bool:
    """Say whether a Host header names this machine, or the name it listens at; a page elsewhere can point its own name at it."""
    # What may stand in an address beside name and port (a user, a path, a zone) is read in more than one way.
    found = _HOST.fullmatch(host)
    name = "" if found is None else (found[1] or found[2]).lower()
    return name == listens != "" or is_local(name)


def is_local(host: str) -> bool:
    """Say whether a name or an address, in whatever spelling, is that of this machine."""
    host = host.rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _resolves_here(host: str) -> bool:
    """Say whether a name in any other spelling means this machine, and nothing else."""
    try:
        found = {str(place[4][0]) for place in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return False
    return bool(found) and all(map(is_local, found))


def _is_local_page(origin: str) -> bool:
    try:
        parts = urlsplit(origin)
        return parts.scheme in ("http", "https") and is_local(parts.hostname or "")
    except ValueError:
        return False
