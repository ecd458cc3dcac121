"""A forwarder before a PostgreSQL server: it passes on, hangs, or cuts connections, as when the database is away."""

import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

__all__ = ["Forwarder", "through"]


class Forwarder:
    """Forwards connections to the database through a socket: it may pass on, hang, or cut them."""

    def __init__(self, folder: Path, target: str) -> None:
        self._target, self._mode = target, "passes"
        self._pairs: list[socket.socket] = []
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(folder / Path(target).name))
        self._server.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def passes(self) -> None:
        self._mode = "passes"

    def hangs(self) -> None:
        """Take what comes and pass on nothing, without closing."""
        self._mode = "hangs"

    def cut(self) -> None:
        """End all connections, and those that come."""
        self._mode = "cut"
        for end in self._pairs:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._server.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._server.accept()
                if self._mode == "cut":
                    near.close()
                    continue
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._target)
                self._pairs += [near, far]
                for source, sink in ((near, far), (far, near)):
                    threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                while self._mode == "hangs":
                    time.sleep(0.01)
                sink.sendall(data)
        for end in (source, sink):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def through(fleet: str) -> Iterator[tuple[str, Forwarder]]:
    """Give an address of the same fleet that goes through a forwarder of its own, and the forwarder."""
    parts = urlsplit(fleet)
    query = dict(parse_qsl(parts.query))
    # The name of a socket is short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        way = Forwarder(Path(folder), str(Path(query["host"]) / ".s.PGSQL.5432"))
        try:
            yield urlunsplit(parts._replace(query=urlencode({**query, "host": folder}))), way
        finally:
            way.close()
