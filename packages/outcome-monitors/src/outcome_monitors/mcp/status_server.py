"""The status of a running proxy, over HTTP, on an address of its own: `/status` as JSON, `/metrics` for Prometheus.

`/healthz` and `/readyz` are for whoever starts and stops it, and ask for no token. It only reports.
"""

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
from .request_guard import RequestGuard, is_local

log = logging.getLogger("outcome_monitors.mcp")

READER_VARIABLE = "OUTCOME_MONITORS_STATUS_TOKEN"
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
        # Who reads need not be able to call tools; without a token of its own it is that of the proxy's clients.
        token = os.environ.get(READER_VARIABLE) or None
        self.guard = RequestGuard.at(host, "" if is_local(host) else token, (), os.environ)
        self._document, self._metrics, self._readiness = document, metrics, readiness
        self._lock = threading.Lock()
        self._made: tuple[float, dict[str, Json]] = (-FRESH, {})
        try:
            self._server = _Listener((host, port), self)
        except OSError as error:
            raise OutcomeMonitorsError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="status", daemon=True).start()
        log.warning("the status is at http://%s:%d/status", f"[{host}]" if ":" in host else host, self.port)

    def answer(self, path: str, refusal: tuple[int, str] | None) -> tuple[int, str, bytes]:
        """Return the status, the type and the body for a path; `refusal` is the guard's."""
        if self._readiness is not None and path in PROBES and (refusal is None or refusal[0] == 401):
            status, text = self._readiness.answer(path)
            return status, "text/plain", text.encode()
        if refusal is not None:
            return refusal[0], "text/plain", f"{refusal[1]}\n".encode()
        try:
            if path in ("/status", "/api/status"):
                return 200, "application/json", json.dumps(self._fresh()).encode()
            if path == "/metrics":
                from outcome_monitors.learning.metrics import CONTENT_TYPE, exposition  # noqa: PLC0415 - an extra

                return 200, CONTENT_TYPE, exposition(self._fresh(), self._metrics).encode()
        except MissingExtra as error:
            return 501, "text/plain", f"{error}\n".encode()
        except Exception:
            log.exception("the status could not be read")
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
        refusal = self.server.owner.guard.refusal(self.headers.get_all)
        status, kind, body = self.server.owner.answer(path, refusal)
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
