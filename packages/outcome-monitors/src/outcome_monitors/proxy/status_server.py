"""The status of a running proxy, over HTTP, on an address of its own: `/status` as JSON, `/metrics` for Prometheus.

`/healthz` and `/readyz` are for whoever starts and stops it, and ask for no token. It only reports. On a local address it answers
requests that name one, so that a web page cannot read it by pointing its own name at it; on any other it asks for a token.
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

from outcome_monitors.exceptions import MissingExtra, OutcomeMonitorsError
from outcome_monitors.model import Json

from .readiness import PROBES, Readiness

__all__ = ["LOCAL", "TOKEN", "StatusServer", "host_and_port", "names_us"]

log = logging.getLogger("outcome_monitors.proxy")

TOKEN = "OUTCOME_MONITORS_TOKEN"  # noqa: S105 - the name of the variable that holds one
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
FRESH = 0.5
"""Seconds for which a document is given again: whoever asks often does not make the folder be read as often."""


class StatusServer:
    """Serves a document on a thread of its own, until it is closed."""

    def __init__(
        self,
        listen: str,
        document: Callable[[], dict[str, Json]],
        metrics: Any = None,
        readiness: Readiness | None = None,
    ) -> None:
        host, port = host_and_port(listen, "--status")
        token = os.environ.get(TOKEN, "")
        if host not in LOCAL and not token:
            raise OutcomeMonitorsError(
                f"--status {listen} can be reached from elsewhere: set {TOKEN} to a secret that readers must name, or listen on 127.0.0.1"
            )
        self._document, self._metrics, self._readiness = document, metrics, readiness
        self._token = "" if host in LOCAL else token
        self._lock = threading.Lock()
        self._made: tuple[float, dict[str, Json]] = (-FRESH, {})
        try:
            self._server = _Listener((host, port), self)
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="status", daemon=True).start()
        log.warning("the status is at http://%s:%d/status", f"[{host}]" if ":" in host else host, self.port)

    def answer(self, path: str, host: str, authorization: str) -> tuple[int, str, bytes]:
        """Return the status, the type and the body for a path."""
        if not self._token and not names_us(host):
            return 403, "text/plain", b"this address is served to local readers alone\n"
        if self._readiness is not None and path in PROBES:
            status, text = self._readiness.answer(path)
            return status, "text/plain", text.encode()
        if self._token and not hmac.compare_digest(authorization.encode(), f"Bearer {self._token}".encode()):
            return 401, "text/plain", b"name the token: Authorization: Bearer ...\n"
        try:
            if path in ("/status", "/api/status"):
                return 200, "application/json", json.dumps(self._fresh()).encode()
            if path == "/metrics":
                from outcome_monitors.learning.metrics import CONTENT_TYPE, exposition  # noqa: PLC0415 - an extra

                return 200, CONTENT_TYPE, exposition(self._fresh(), self._metrics).encode()
        except MissingExtra as error:
            return 501, "text/plain", f"{error}\n".encode()
        except Exception:
            log.exception("the status could not be told")
            return 500, "text/plain", b"the status could not be read; see the log\n"
        return 404, "text/plain", b"there are /status and /metrics\n"

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


def host_and_port(text: str, option: str, default: str = "127.0.0.1") -> tuple[str, int]:
    """Read HOST:PORT."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise OutcomeMonitorsError(f"{option} {text} is not of the form HOST:PORT")
    return host.strip("[]") or default, int(port)


def names_us(host: str) -> bool:
    """Say whether a Host header names this machine; a page elsewhere can point its own name at it."""
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    return name.strip("[]") in LOCAL


class _Listener(ThreadingHTTPServer):
    daemon_threads = True
    # Another process on the same port is to be seen at once, not to share it.
    allow_reuse_address = os.name != "nt"

    def __init__(self, address: tuple[str, int], owner: StatusServer) -> None:
        self.owner = owner
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A reader that has gone is no trouble of ours."""
        log.debug("a reader of the status went away")


class _Handler(BaseHTTPRequestHandler):
    server_version, sys_version = "outcome-monitors", ""
    timeout = 10.0
    server: _Listener

    def do_GET(self) -> None:
        path, _, _ = self.path.partition("?")
        status, kind, body = self.server.owner.answer(
            path, self.headers.get("Host", ""), self.headers.get("Authorization", "")
        )
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name that the base class has
        """Say nothing: standard error is the client's log."""
