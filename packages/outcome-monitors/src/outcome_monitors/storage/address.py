"""The address of a fleet's state, `postgresql://user@host/database?fleet=shop&service=checkout`, and where a host keeps its copy."""

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from outcome_monitors.exceptions import StateError
from outcome_monitors.files import FilePath

from .labels import NO_LABELS, Labels

FLEET = "default"
"""The fleet that is meant where none is named."""
CACHE = "OUTCOME_MONITORS_CACHE"
"""Names the folder in which copies lie."""
SCHEMES = ("postgresql://", "postgres://")
LONGEST = 200
_OURS = ("fleet", *Labels._fields)
_PREFIX = "outcome_monitors"
_CREDENTIALS = re.compile(r"(postgres(?:ql)?://?)[^\s/@]*@")
_LONGEST_SCHEMA = 63


def is_address(path: FilePath) -> bool:
    """Say whether a fleet's state is meant, and not a folder."""
    return os.fspath(path).startswith(SCHEMES)


@dataclass(frozen=True, slots=True)
class StateAddress:
    """Where the state is, and whose."""

    dsn: str
    """What the driver is given: the address without what is ours in it."""
    fleet: str = FLEET
    labels: Labels = NO_LABELS
    """What is written there is marked with these, and of events and traces those alone are read that bear them."""

    @classmethod
    def read(cls, text: FilePath) -> "StateAddress":
        """Read an address; what has no form of one is refused, without its password."""
        if not is_address(text):
            raise StateError(
                "a fleet's state has an address as in postgresql://user@host/database?fleet=shop"
            )
        try:
            parts = urlsplit(os.fspath(text))
            named = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        except ValueError:
            raise StateError(
                "the address of the state cannot be read: is a sign in it not written as %XX?"
            ) from None
        fleets = [value for name, value in named if name == "fleet"] or [FLEET]
        rest = urlencode([(name, value) for name, value in named if name not in _OURS])
        dsn = urlunsplit(parts._replace(query=rest, fragment=""))
        return cls(dsn, _fleet(fleets[-1]), Labels.named(named))

    @property
    def schema(self) -> str:
        """The schema that holds the fleet's tables: fleets in one database do not meet."""
        name = _PREFIX if self.fleet == FLEET else f"{_PREFIX}:{self.fleet}"
        if len(name.encode()) <= _LONGEST_SCHEMA:
            return name
        return f"{_PREFIX}#{_digest(self.fleet)[:32]}"

    @property
    def cache(self) -> Path:
        """The folder of this host's copy."""
        base = os.environ.get(CACHE)
        state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
        folder = Path(base) if base else Path(state).expanduser() / "outcome-monitors" / "fleets"
        return folder / _digest(self._place())[:16]

    @property
    def secret(self) -> str:
        """The password, which nothing shows."""
        return unquote(urlsplit(self.dsn).password or "")

    def __str__(self) -> str:
        """The address as it may be shown: without user and password."""
        return ", ".join([self._place(), *(f"{name} {value}" for name, value in self.labels.items())])

    def _place(self) -> str:
        parts = urlsplit(self.dsn)
        host = f"{parts.netloc.rpartition('@')[2]}{parts.path}"
        # A socket's folder stands behind the question mark.
        sockets = [value for name, value in parse_qsl(parts.query) if name == "host"]
        at = f"?host={sockets[-1]}" if sockets else ""
        fleet = "" if self.fleet == FLEET else f", fleet {self.fleet}"
        return f"postgresql://{host}{at}{fleet}"


def shown(path: FilePath) -> str:
    """Return a path as it may be shown: of an address neither user nor password."""
    return str(StateAddress.read(path)) if is_address(path) else os.fspath(path)


def without_credentials(text: str) -> str:
    """Return a text in which an address may stand, as a mistyped word of a command does, without user and password."""
    return _CREDENTIALS.sub(r"\1", text)


def _fleet(name: str) -> str:
    if not name or len(name) > LONGEST or not name.isprintable():
        raise StateError(f"the name of a fleet has 1 to {LONGEST} characters that can be printed")
    return name


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
