"""An HTTP service that events, alarms and scores are sent to."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple


class Request(NamedTuple):
    """What a service was sent."""

    path: str
    headers: dict[str, str]
    data: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.data)


class Service:
    """Collects what it is sent, and answers as it is told to."""

    def __init__(self, port: int) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.requests: list[Request] = []
        self.statuses: list[int] = []
        """What the next requests are answered; 200 where nothing is left."""


@contextmanager
def listening() -> Iterator[Service]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            service.requests.append(Request(self.path, dict(self.headers), data))
            self.send_response(service.statuses.pop(0) if service.statuses else 200)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_words: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        service = Service(server.server_port)
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield service
        server.shutdown()
        thread.join()
