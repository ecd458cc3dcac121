"""Conversations over HTTP through one proxy, while the server is killed, the disk is full, and clients are slow or leave."""

import asyncio
import random
import signal
import sqlite3
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from hashlib import sha256
from pathlib import Path

from ._connections import free_port, proxy_command
from ._processes import FullDisk, memory
from ._soak_replies import Account, request
from ._soak_server import COMMAND

__all__ = ["over_http"]

SLOW, LEAVES = 0.001, 0.0005
"""Shares of the calls whose client reads slowly, or leaves before the reply."""
AWAY = 0.2
"""Seconds between two tries to reach someone who is away."""
BETWEEN_KILLS, BETWEEN_FULL, FULL, LONG_FULL = 15.0, 40.0, 4.0, 45.0
"""Seconds: how often the server is killed and the disk full, and for how long that is; once it is longer than events are kept for."""


class _Client:
    """One conversation: a connection, which is made anew when it breaks."""

    def __init__(self, port: int, name: int, account: Account) -> None:
        self._port, self._account = port, account
        self._session = f"conversation-{name}"
        self.name = sha256(self._session.encode()).hexdigest()[:16]
        self._rng = random.Random(name)
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def call(self, number: int) -> None:
        """Make a call, again and again until there is a reply."""
        attempt = 0
        while True:
            name = number + 10**8 * attempt
            reply = await self._tried(request(number, name))
            if reply is not None:
                break
            self._account.unanswered[self.name] += 1
            attempt += 1
            self.close()
            await asyncio.sleep(AWAY)
        self._account.reply(self.name, number, name, reply)

    async def _tried(self, body: bytes) -> bytes | None:
        try:
            return await self._exchanged(body)
        except (OSError, asyncio.IncompleteReadError):
            self._account.faults["connections that broke"] += 1
            return None

    async def _exchanged(self, body: bytes) -> bytes | None:
        if self._writer is None or self._reader is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        chance = self._rng.random()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nMcp-Session-Id: {self._session}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode()
        if chance < SLOW:
            await self._slowly(head + body)
        else:
            self._writer.write(head + body)
        if SLOW < chance < SLOW + LEAVES:
            self._account.faults["clients that left"] += 1
            return None
        return await self._reply(self._reader, slow=chance < SLOW)

    async def _slowly(self, data: bytes) -> None:
        assert self._writer is not None
        self._account.faults["slow clients"] += 1
        for start in range(0, len(data), 40):
            self._writer.write(data[start : start + 40])
            await asyncio.sleep(0.01)

    async def _reply(self, reader: asyncio.StreamReader, *, slow: bool) -> bytes | None:
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        if slow:
            await asyncio.sleep(0.5)
        body = await reader.readexactly(size)
        if not head.startswith(b"HTTP/1.1 200 "):
            self._account.faults["replies of 502"] += 1
            return None
        return body

    def close(self) -> None:
        """Leave."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


def over_http(folder: Path, calls: int, conversations: int, faults: bool) -> Account:
    """Make calls over so many conversations at once."""
    return asyncio.run(_Soak(folder, calls, conversations, faults).run())


class _Soak:
    def __init__(self, folder: Path, calls: int, conversations: int, faults: bool) -> None:
        self._folder, self._calls, self._conversations, self._faults = folder, calls, conversations, faults
        self._account = Account()
        self._behind, self._front = free_port(), free_port()
        self._servers = 0

    async def run(self) -> Account:
        address, listen = f"http://127.0.0.1:{self._behind}/mcp", f"127.0.0.1:{self._front}"
        server = self._server()
        log = self._folder / "proxy.log"
        with log.open("wb") as said:
            proxy = subprocess.Popen(  # noqa: ASYNC220 - once, before anything else goes on
                proxy_command(self._folder, "--upstream", address, "--listen", listen), stderr=said
            )
        troubles: list[asyncio.Task[None]] = []
        try:
            await self._listens()
            if self._faults:
                disk = FullDisk(proxy.pid)
                troubles = [asyncio.create_task(self._kill(server)), asyncio.create_task(self._full(disk))]
            await self._converse(proxy.pid)
        finally:
            for trouble in troubles:
                trouble.cancel()
            await asyncio.gather(*troubles, return_exceptions=True)
            proxy.terminate()
            await asyncio.to_thread(proxy.wait, 30)
            self._running.kill()
            self._running.wait()
        self._read(log.read_text())
        return self._account

    def _server(self) -> "subprocess.Popen[bytes]":
        self._servers += 1
        command = [*COMMAND, "http", str(self._behind), str(self._servers)]
        self._running = subprocess.Popen(command)
        return self._running

    async def _listens(self) -> None:
        for port in (self._behind, self._front):
            for _ in range(200):
                with suppress(OSError):
                    _, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.close()
                    break
                await asyncio.sleep(0.05)

    async def _converse(self, proxy: int) -> None:
        numbers = iter(range(self._calls))
        per = -(-self._calls // self._conversations)
        marks = {self._calls // 4: 1, self._calls // 2: 1}

        async def converse(name: int) -> None:
            client = _Client(self._front, name, self._account)
            for _ in range(per):
                number = next(numbers, None)
                if number is None:
                    break
                await client.call(number)
                if number in marks:
                    self._account.memory.append(memory(proxy))
            client.close()

        await asyncio.gather(*map(converse, range(self._conversations)))
        self._account.memory.append(memory(proxy))

    async def _kill(self, server: "subprocess.Popen[bytes]") -> None:
        while True:
            await asyncio.sleep(BETWEEN_KILLS)
            server.send_signal(signal.SIGKILL)
            await asyncio.to_thread(server.wait)
            self._account.faults["servers killed"] += 1
            server = self._server()

    async def _full(self, disk: FullDisk) -> None:
        spells: list[Callable[[], Awaitable[None]]] = [
            lambda: asyncio.sleep(FULL),
            lambda: asyncio.sleep(LONG_FULL),
        ]
        while True:
            await asyncio.sleep(BETWEEN_FULL)
            try:
                disk.fill()
                self._account.faults["times that the disk was full"] += 1
                await spells[self._account.faults["times that the disk was full"] % 4 == 2]()
            finally:
                disk.clear()

    def _read(self, log: str) -> None:
        """Count the events, and those that the proxy says to have lost."""
        for part in log.split("outcome-monitors: "):
            number, _, rest = part.partition(" events or traces were lost")
            if rest:
                self._account.lost += int(number.rpartition(" ")[2])
        for file in self._folder.glob("events.sqlite*"):
            if file.suffix in (".sqlite", ".torn"):
                with closing(sqlite3.connect(file)) as store:
                    for session, outcome, count in store.execute(
                        "SELECT session, outcome, count(*) FROM events GROUP BY session, outcome"
                    ):
                        self._account.event(session, outcome, count)
