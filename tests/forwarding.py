"""A forwarder to a PostgreSQL server that can be shut, as when the database is down."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode

import pytest

from outcome_monitors.storage.address import StateAddress

__all__ = ["Forwarder", "forwarded"]


class Forwarder:
    """Passes on what comes, until it is shut."""

    def __init__(self, address: str) -> None:
        conninfo = pytest.importorskip("psycopg").conninfo
        self._to = conninfo.conninfo_to_dict(StateAddress.read(address).dsn)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._ends: list[socket.socket] = []
        self._port = port = self._server.getsockname()[1]
        self.address = f"postgresql://{self._to['user']}@127.0.0.1:{port}/{self._to['dbname']}?" + urlencode(
            {"fleet": StateAddress.read(address).fleet, "gssencmode": "disable"}
        )
        self._let_in()

    def open(self) -> None:
        """Let those in who come from now on."""
        self._server = socket.create_server(("127.0.0.1", self._port))
        self._let_in()

    def _let_in(self) -> None:
        threading.Thread(target=self._accept, args=(self._server,), daemon=True).start()

    def shut(self) -> None:
        """Cut all who are there, and let nobody in."""
        for end in (self._server, *self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self, server: socket.socket) -> None:
        with suppress(OSError):
            while True:
                here, _ = server.accept()
                there = self._reach()
                self._ends += (here, there)
                for ends in ((here, there), (there, here)):
                    threading.Thread(target=_pass_on, args=ends, daemon=True).start()

    def _reach(self) -> socket.socket:
        host, port = str(self._to.get("host", "127.0.0.1")), int(self._to.get("port", 5432))
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        there = socket.socket(socket.AF_UNIX)
        there.connect(str(Path(host) / f".s.PGSQL.{port}"))
        return there


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


@contextmanager
def forwarded(address: str) -> Iterator[Forwarder]:
    """Give a forwarder to the server at an address."""
    server = Forwarder(address)
    try:
        yield server
    finally:
        server.shut()
