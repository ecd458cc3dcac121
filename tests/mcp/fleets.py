"""What tests of a fleet share: proxies as processes, hosts without a process, and what arrived in the database."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

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
