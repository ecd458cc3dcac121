"""Conversations over stdio, each through a proxy of its own, while servers die, disks are full, and clients do not read."""

import asyncio
import json
import random
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from pathlib import Path

from ._processes import FullDisk, memory
from ._soak_replies import Account, request
from ._soak_server import COMMAND

__all__ = ["over_stdio"]

AT_ONCE = 3
"""Conversations; there are two processes to each."""
WAITING = 16
"""Calls of one that wait for a reply."""
SLOW, FULL = 0.001, 0.02
"""Shares of the calls before which the client reads nothing for a while, and of the conversations whose disk is full."""
LARGEST = 2**20


def over_stdio(folder: Path, calls: int, conversations: int, faults: bool) -> Account:
    """Make calls over so many conversations, a few at once."""
    return asyncio.run(_soak(folder, calls, conversations, faults))


async def _soak(folder: Path, calls: int, conversations: int, faults: bool) -> Account:
    account, room = Account(), asyncio.Semaphore(AT_ONCE)
    per = -(-calls // conversations)

    async def converse(name: int) -> None:
        async with room:
            numbers = deque(range(name * per, min(calls, (name + 1) * per)))
            run = 0
            while numbers:
                # A server that has died ends its proxy, and the client begins anew.
                await _Run(folder, f"{name}-{run}", account, faults).make(numbers)
                run += 1

    await asyncio.gather(*map(converse, range(conversations)))
    return account


class _Run:
    """One life of a proxy and its server."""

    def __init__(self, folder: Path, name: str, account: Account, faults: bool) -> None:
        self._folder, self._name, self._account, self._faults = folder, name, account, faults
        self._events = folder / f"events-{name}.jsonl"
        self._rng = random.Random(name)
        self._asked: deque[int] = deque()
        self._room = asyncio.Semaphore(WAITING)

    async def make(self, numbers: "deque[int]") -> None:
        """Make calls until there are none left, or the server has died."""
        server = [*COMMAND, "stdio", str(self._rng.randrange(10**6))]
        if not self._faults:
            server = [sys.executable, "-m", "bench._servers", "bare"]
        contracts = str(self._folder / "contracts.json")
        proxy = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "outcome_monitors", "proxy", "--contracts", contracts),
            *("--events", str(self._events), "--", *server),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=LARGEST,
        )
        full = self._faults and self._rng.random() < FULL
        if full:
            self._account.faults["disks that were full"] += 1
            FullDisk(proxy.pid).fill()
        sending = asyncio.create_task(self._send(proxy, numbers))
        await self._read(proxy, numbers)
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)
        await self._end(proxy)

    async def _send(self, proxy: Process, numbers: "deque[int]") -> None:
        assert proxy.stdin is not None
        while numbers:
            await self._room.acquire()
            number = numbers.popleft()
            self._asked.append(number)
            proxy.stdin.write(request(number, number) + b"\n")
            await proxy.stdin.drain()
        await self._all_read()
        self._account.memory[:] = [max([memory(proxy.pid), *self._account.memory])]
        proxy.stdin.close()

    async def _all_read(self) -> None:
        for _ in range(WAITING):
            await self._room.acquire()

    async def _read(self, proxy: Process, numbers: "deque[int]") -> None:
        assert proxy.stdout is not None
        while line := await proxy.stdout.readline():
            if self._faults and self._rng.random() < SLOW:
                self._account.faults["times that a client did not read"] += 1
                await asyncio.sleep(0.1)
            if not line.endswith(b"\n"):
                self._account.faults["replies that a death cut short"] += 1
            elif self._is_reply(line):
                number = self._asked.popleft()
                self._account.reply(self._name, number, number, line.removesuffix(b"\n"))
                self._room.release()
        # What the dead one has not answered is asked again, in order.
        self._account.faults["servers that died"] += bool(self._asked)
        self._account.unanswered[self._name] += len(self._asked)
        numbers.extendleft(reversed(self._asked))

    def _is_reply(self, line: bytes) -> bool:
        try:
            return "result" in json.loads(line)
        except ValueError:
            self._account.faults["lines that are no message"] += 1
            return False

    async def _end(self, proxy: Process) -> None:
        assert proxy.stderr is not None
        said = (await proxy.stderr.read()).decode(errors="replace")
        await proxy.wait()
        for line in said.splitlines():
            before, _, rest = line.partition(" events or traces were lost")
            self._account.lost += int(before.rpartition(" ")[2]) if rest else 0
        if self._events.exists():
            for line in self._events.read_text().splitlines():
                self._account.event(self._name, json.loads(line)["outcome"])
            self._events.unlink()
