"""Whether a process lives, and whether work is to be sent to it: what `/healthz` and `/readyz` answer.

Both say so little that they ask for no token. A store or a database that is away makes nothing unready: replies do not need it.
"""

import time
from collections.abc import Callable
from socket import create_connection

ALIVE, READY = "/healthz", "/readyz"
PROBES = frozenset({ALIVE, READY})
OK, UNAVAILABLE = 200, 503
CONNECTING = 2.0
"""Seconds in which an address takes a connection, or counts as away."""
FRESH = 1.0
"""Seconds for which an answer is given again: whoever asks often does not make others be asked as often."""
AWAY = "the server behind it cannot be reached"

Need = Callable[[], str]
"""Says what is missing; nothing where all is well."""


class Readiness:
    """Whether work is to be sent here: it has begun to serve, what it needs is there, and it is not about to end."""

    def __init__(self) -> None:
        self._why = "it has not begun to serve"
        self._needs: tuple[Need, ...] = ()

    def begin(self, *needs: Need) -> None:
        """Be ready from now on, as long as nothing that is needed is missing."""
        self._needs, self._why = needs, ""

    def end(self) -> None:
        """Be ready no more: what is under way is brought to its end."""
        self._why = "it is about to end"

    def lacking(self) -> str:
        """Say why it is not ready; nothing where it is."""
        return self._why or next(filter(None, (need() for need in self._needs)), "")

    def answer(self, path: str) -> tuple[int, str]:
        """Return the answer at one of the two paths."""
        if path == ALIVE:
            return OK, "alive\n"
        why = self.lacking()
        return (UNAVAILABLE, f"not ready: {why}\n") if why else (OK, "ready\n")


class Reach:
    """Whether an address takes connections."""

    def __init__(self, host: str, port: int) -> None:
        self._address = host, port
        self._tried = -FRESH
        self._missing = "the server behind it has not been asked yet"

    def __call__(self) -> str:
        """Say that it does not; nothing where it does. While one tries, others get what was known before."""
        if time.monotonic() - self._tried >= FRESH:
            self._tried = time.monotonic()
            try:
                create_connection(self._address, CONNECTING).close()
            except (OSError, UnicodeError):
                # Without the name, which may be nobody's business out there.
                self._missing = AWAY
            else:
                self._missing = ""
        return self._missing
