"""What tests of a fleet share: proxies as processes, a way to the database that can be cut or hang, and what arrived there."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.learning.learner import Learner
from outcome_monitors.learning.recorder import Recorder
from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.storage.address import CACHE, StateAddress
from outcome_monitors_server.storage.fleet import Fleet
from outcome_monitors_server.storage.postgres import Postgres, SharedConnection
from tests.mcp.live_shop import Shop
from tests.mcp.wire import PATIENCE, PATIENT, SERVER, SERVES, Proxy


class FleetProxy(Proxy):
    """A proxy that learns in a fleet, on a host of its own: with a copy in a folder that no other proxy uses."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "server.py").write_text(SERVER + SERVES)
        proxy = [sys.executable, "-m", "outcome_monitors", "proxy", *PATIENT, *options]
        self.process = subprocess.Popen(
            [*proxy, "--", sys.executable, str(folder / "server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={
                **os.environ,
                "PYTHONWARNINGS": "ignore",
                "OUTCOME_MONITORS_CACHE": str(folder / "copies"),
                **environment,
            },
        )

    def hang_up(self) -> None:
        """Close its input, and let it end by itself."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None


class Way:
    """A way to the database, through a socket: it may pass on, hang, or be cut."""

    def __init__(self, folder: Path, target: str) -> None:
        self._target, self._mode = target, "passes"
        self._pairs: list[socket.socket] = []
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / Path(target).name))
        self._door.listen()
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
        self._door.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
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
def through(fleet: str) -> Iterator[tuple[str, Way]]:
    """Give an address of the same fleet that goes through a way of its own, and the way."""
    parts = urlsplit(fleet)
    query = dict(parse_qsl(parts.query))
    # The name of a socket is short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        way = Way(Path(folder), str(Path(query["host"]) / ".s.PGSQL.5432"))
        try:
            yield urlunsplit(parts._replace(query=urlencode({**query, "host": folder}))), way
        finally:
            way.close()


def asked(fleet: str, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query, none while there is no such state."""
    with suppress(Exception), Postgres(StateAddress.read(fleet)).reading() as shared:
        return list(shared.execute(query))
    return []


def document(fleet: str, name: str) -> Any:
    [(body,)] = asked(fleet, f"SELECT body FROM documents WHERE name = '{name}'") or [("null",)]
    return json.loads(body)


def until(found: Callable[[], Any], within: float = PATIENCE) -> Any:
    """Wait until something is found."""
    end = time.monotonic() + within
    while not (value := found()):
        assert time.monotonic() < end, "it never came about"
        time.sleep(0.02)
    return value


class Host(Shop):
    """A host's part in a fleet without a process around it: it follows the database when a test says so."""

    def __init__(
        self,
        fleet: str,
        copies: Path,
        *,
        thresholds: Thresholds,
        clock: Callable[[], float] | None = None,
        host_clock: Callable[[], float] = time.time,
    ) -> None:
        before = os.environ.get(CACHE)
        os.environ[CACHE] = str(copies)
        try:
            self.fleet = Fleet(StateAddress.read(fleet), clock=host_clock)
        finally:
            os.environ[CACHE] = before or ""
        self.learner = Learner(self.fleet, thresholds=thresholds, clock=clock)
        self.recorder = Recorder(
            self.fleet.traces(), self.learner.admits, written=self.learner.written, clock=self.learner.clock
        )
        self.events = self.fleet.events()
        self.serve(self.events, [AlertPolicy(state=self.fleet.usual())])

    def follows(self) -> None:
        """Do what a thread does every two seconds."""
        replica = self.fleet.replica
        with closing(replica._opened()) as connection:
            shared = SharedConnection(connection)
            replica._look(shared)
            for errand in replica._errands:
                errand(shared)

    def close(self) -> None:
        self.recorder.close()
        self.watch.close()
        self.follows()
