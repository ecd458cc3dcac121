"""The status of a running proxy, over HTTP, on an address of its own: `/status` as JSON, `/metrics` for Prometheus.

`/healthz` and `/readyz` are for whoever starts and stops it, and ask for no token. It only tells. On a local address it answers requests that name one, so that a web page cannot read it by pointing its own name at it;
on any other it asks for a token.
"""

import hmac
import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from .metrics import CONTENT_TYPE, LiveTally, exposition
from .readiness import PROBES, Readiness

__all__ = ["LOCAL", "TOKEN", "StatusServer", "host_and_port", "names_us"]

log = logging.getLogger("outcome_monitors.proxy")

TOKEN = "OUTCOME_MONITORS_TOKEN"  # noqa: S105 - the name of the variable that holds one
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
FRESH = 0.5
"""Seconds for which a document is given again: whoever asks often does not make the folder be read as often."""

Document = Callable[[], dict[str, Json]]


class StatusServer:
    """Serves a document on a thread of its own, until it is closed."""

    def __init__(
        self,
        listen: str,
        document: Document,
        tally: LiveTally | None = None,
        readiness: Readiness | None = None,
    ) -> None:
        host, port = host_and_port(listen, "--status")
        token = os.environ.get(TOKEN, "")
        if host not in LOCAL and not token:
            raise OutcomeMonitorsError(
                f"--status {listen} can be reached from elsewhere: set {TOKEN} to a secret that readers must name, or listen on 127.0.0.1"
            )
        self._document, self._tally, self._readiness = document, tally, readiness
        self._lock = threading.Lock()
        self._made: tuple[float, dict[str, Json]] = (-FRESH, {})
        try:
            self._server = _Listener((host, port), _handler(self, token, local=host in LOCAL))
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="status", daemon=True).start()
        log.warning("the status is at http://%s:%d/status", f"[{host}]" if ":" in host else host, self.port)

    def answer(self, path: str) -> tuple[str, bytes] | None:
        """Return what is at a path, and its type; None where there is nothing."""
        if path in ("/status", "/api/status"):
            return "application/json", json.dumps(self._fresh()).encode()
        if path == "/metrics":
            return CONTENT_TYPE, exposition(self._fresh(), self._tally).encode()
        return None

    def probe(self, path: str) -> tuple[int, str] | None:
        """Return the answer to a probe; None where it is none."""
        if self._readiness is None or path not in PROBES:
            return None
        return self._readiness.answer(path)

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._server.server_close()

    def _fresh(self) -> dict[str, Json]:
        with self._lock:
            made, document = self._made
            if time.monotonic() - made >= FRESH:
                document = self._document()
                self._made = (time.monotonic(), document)
            return document


def host_and_port(text: str, option: str) -> tuple[str, int]:
    """Read HOST:PORT."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise OutcomeMonitorsError(f"{option} {text} is not of the form HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    # Another process on the same port is to be seen at once, not to share it.
    allow_reuse_address = os.name != "nt"

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader that has gone is no trouble of ours."""
        log.debug("a reader of the status went away")


def _handler(owner: StatusServer, token: str, *, local: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version, sys_version = "outcome-monitors", ""
        timeout = 10.0

        def do_GET(self) -> None:
            if local and not names_us(self.headers.get("Host", "")):
                self._say(403, "text/plain", b"this address is served to local readers alone\n")
            elif (probe := owner.probe(self.path.partition("?")[0])) is not None:
                self._say(probe[0], "text/plain", probe[1].encode())
            elif not local and not _knows(self.headers.get("Authorization", ""), token):
                self._say(401, "text/plain", b"name the token: Authorization: Bearer ...\n")
            else:
                self._tell()

        def _tell(self) -> None:
            try:
                found = owner.answer(self.path.partition("?")[0])
            except Exception:
                log.exception("the status could not be told")
                self._say(500, "text/plain", b"the status could not be read; see the log\n")
                return
            if found is None:
                self._say(404, "text/plain", b"there are /status and /metrics\n")
            else:
                self._say(200, *found)

        def _say(self, status: int, sort: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", sort)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the base class has
            """Say nothing: standard error is the client's log."""

    return Handler


def names_us(host: str) -> bool:
    """Say whether a Host header names this machine; a page elsewhere can point its own name at it."""
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    return name.strip("[]") in LOCAL


def _knows(header: str, token: str) -> bool:
    return hmac.compare_digest(header.encode(), f"Bearer {token}".encode())
