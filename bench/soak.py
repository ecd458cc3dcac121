"""`python -m bench.soak`: many calls through the proxy, half over HTTP and half over stdio, while servers die and disks are full.

Servers are killed, tear their replies and write lines that are no messages; the disk for events is full for a while. Every
reply is compared with what the server sends, byte for byte, every tenth must carry a receipt, and every call must be an event or
counted as lost.
"""

import asyncio
import json
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from asyncio.subprocess import PIPE
from collections import deque
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import click

from outcome_monitors import mine
from outcome_monitors.cli._output import write

from ._connections import free_port, listening, proxy_command
from ._processes import FullDisk, memory
from ._results import ORDER
from ._soak_replies import Account, request
from ._soak_server import COMMAND

CALLS_MADE, CONVERSATIONS = 10_000, 50
BETWEEN_KILLS, BETWEEN_FULL, FULL = 15.0, 40.0, 45.0
"""Seconds: how often the HTTP server is killed and the disk full, and for how long; that is longer than events are held."""
PAUSE = 0.2
"""Seconds before a call that had no reply is made again."""
STDIO_AT_ONCE, WAITING, SHARE_FULL = 3, 16, 0.02
"""Conversations over stdio at once, calls of one that wait for a reply, and the share of conversations whose disk is full."""


def over_http(folder: Path, calls: int, conversations: int) -> Account:
    """Make calls over HTTP, through one proxy."""
    return asyncio.run(_over_http(folder, calls, conversations))


async def _over_http(folder: Path, calls: int, conversations: int) -> Account:
    account, numbers = Account(), iter(range(calls))
    behind, front = free_port(), free_port()
    servers = [_http_server(behind, 1)]
    log = folder / "proxy.log"
    ends = ("--upstream", f"http://127.0.0.1:{behind}/mcp", "--listen", f"127.0.0.1:{front}")
    with log.open("wb") as errors:
        proxy = subprocess.Popen(proxy_command(folder, *ends), stderr=errors)  # noqa: ASYNC220 - nothing else runs yet

    async def kill() -> None:
        while True:
            await asyncio.sleep(BETWEEN_KILLS)
            servers[-1].kill()
            await asyncio.to_thread(servers[-1].wait)
            account.faults["servers killed"] += 1
            servers.append(_http_server(behind, len(servers) + 1))

    async def fill_disk(disk: FullDisk) -> None:
        while True:
            await asyncio.sleep(BETWEEN_FULL)
            account.faults["times that the disk was full"] += 1
            disk.fill()
            try:
                await asyncio.sleep(FULL)
            finally:
                disk.clear()

    async def converse(name: int) -> None:
        client = _Client(front, f"conversation-{name}", account)
        for number in numbers:
            await client.call(number)
        client.close()

    await asyncio.to_thread(listening, behind)
    await asyncio.to_thread(listening, front)
    troubles = [asyncio.create_task(kill()), asyncio.create_task(fill_disk(FullDisk(proxy.pid)))]
    try:
        await asyncio.gather(*map(converse, range(conversations)))
        account.memory = memory(proxy.pid)
    finally:
        for trouble in troubles:
            trouble.cancel()
        await asyncio.gather(*troubles, return_exceptions=True)
        proxy.terminate()
        await asyncio.to_thread(proxy.wait, 30)
        servers[-1].kill()
        servers[-1].wait()
    _count_events(folder, log, account)
    return account


def _count_events(folder: Path, log: Path, account: Account) -> None:
    account.lost += _lost(log.read_text())
    for file in folder.glob("events.sqlite*"):
        if file.suffix in (".sqlite", ".torn"):
            with closing(sqlite3.connect(file)) as store:
                rows = store.execute("SELECT outcome, count(*) FROM events GROUP BY outcome")
                account.outcomes.update(dict(rows.fetchall()))


def _http_server(port: int, seed: int) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*COMMAND, "http", str(port), str(seed)])


def _lost(log: str) -> int:
    return sum(map(int, re.findall(r"(\d+) events or traces were lost", log)))


class _Client:
    """One conversation over HTTP: a connection, which is made anew when it breaks."""

    def __init__(self, port: int, session: str, account: Account) -> None:
        self._port, self._session, self._account = port, session, account
        self._ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, number: int) -> None:
        """Make a call until there is a reply."""
        name = number
        while (reply := await self._attempt(request(number, name))) is None:
            self._account.repeated += 1
            name += 10**8
            self.close()
            await asyncio.sleep(PAUSE)
        self._account.reply(number, name, reply)

    async def _attempt(self, body: bytes) -> bytes | None:
        try:
            if self._ends is None:
                self._ends = await asyncio.open_connection("127.0.0.1", self._port)
            reader, writer = self._ends
            head = (
                f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nMcp-Session-Id: {self._session}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            writer.write(head.encode() + body)
            status = await reader.readuntil(b"\r\n\r\n")
            size = int(status.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
            reply = await reader.readexactly(size)
        except (OSError, asyncio.IncompleteReadError):
            self._account.faults["connections that broke"] += 1
            return None
        if not status.startswith(b"HTTP/1.1 200 "):
            self._account.faults["replies of 502"] += 1
            return None
        return reply

    def close(self) -> None:
        """Leave."""
        if self._ends is not None:
            self._ends[1].close()
        self._ends = None


def over_stdio(folder: Path, calls: int, conversations: int) -> Account:
    """Make calls over stdio, each conversation through a proxy of its own."""
    return asyncio.run(_over_stdio(folder, calls, conversations))


async def _over_stdio(folder: Path, calls: int, conversations: int) -> Account:
    account, room = Account(), asyncio.Semaphore(STDIO_AT_ONCE)
    each = -(-calls // conversations)

    async def converse(name: int) -> None:
        async with room:
            numbers = deque(range(name * each, min(calls, (name + 1) * each)))
            run = 0
            while numbers:
                # A server that has died ends its proxy, and the client begins anew.
                await _life(folder, f"{name}-{run}", account, numbers)
                run += 1

    await asyncio.gather(*map(converse, range(conversations)))
    return account


async def _life(folder: Path, name: str, account: Account, numbers: "deque[int]") -> None:
    """Make calls through one proxy until none are left or its server has died; give back what had no reply."""
    draw, events = random.Random(name), folder / f"events-{name}.jsonl"
    waiting: deque[int] = deque()
    room = asyncio.Semaphore(WAITING)
    proxy = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "outcome_monitors", "proxy", "--contracts", str(folder / "contracts.json")),
        *("--events", str(events), "--", *COMMAND, "stdio", str(draw.randrange(10**6))),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        limit=2**20,
    )
    assert proxy.stdin is not None
    assert proxy.stdout is not None
    assert proxy.stderr is not None
    if draw.random() < SHARE_FULL:
        account.faults["disks that were full"] += 1
        FullDisk(proxy.pid).fill()

    async def send(stdin: asyncio.StreamWriter) -> None:
        while numbers:
            await room.acquire()
            waiting.append(numbers.popleft())
            stdin.write(request(waiting[-1], waiting[-1]) + b"\n")
            await stdin.drain()
        for _ in range(WAITING):
            await room.acquire()
        account.memory = max(account.memory, memory(proxy.pid))
        stdin.close()

    sending = asyncio.create_task(send(proxy.stdin))
    while line := await proxy.stdout.readline():
        if not line.endswith(b"\n"):
            account.faults["replies that a death cut short"] += 1
        elif not _is_reply(line):
            account.faults["lines that are no message"] += 1
        else:
            number = waiting.popleft()
            account.reply(number, number, line.removesuffix(b"\n"))
            room.release()
    account.faults["servers that died"] += bool(waiting)
    account.repeated += len(waiting)
    numbers.extendleft(reversed(waiting))
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    account.lost += _lost((await proxy.stderr.read()).decode(errors="replace"))
    await proxy.wait()
    if events.exists():
        account.outcomes.update(json.loads(line)["outcome"] for line in events.read_text().splitlines())
        events.unlink()


def _is_reply(line: bytes) -> bool:
    try:
        return "result" in json.loads(line)
    except ValueError:
        return False


def report(way: str, account: Account, seconds: float) -> str:
    """Return what became of the calls, in words."""
    faults = ", ".join(f"{count:,} {what}" for what, count in sorted(account.faults.items()))
    outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(account.outcomes.items()))
    lines = [
        (
            f"{way}: {account.replies:,} replies in {seconds:,.0f} s, {account.receipts:,} with a receipt;"
            f" {len(account.wrong)} were wrong; {account.repeated:,} calls had no reply and were made again"
        ),
        f"events: {account.outcomes.total():,} ({outcomes}); counted as lost: {account.lost:,}",
        f"memory of the proxy: {account.memory} MB",
        f"faults: {faults or 'none'}",
        *account.wrong[:5],
        *account.miscounted,
    ]
    return "\n  ".join(lines) + "\n"


WAYS: dict[str, Callable[[Path, int, int], Account]] = {"HTTP": over_http, "stdio": over_stdio}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--calls", default=CALLS_MADE, show_default=True, help="Calls to make, half each way.")
@click.option(
    "--conversations", default=CONVERSATIONS, show_default=True, help="Conversations, half each way."
)
def main(calls: int, conversations: int) -> None:
    """Make many calls over many conversations while everything fails.

    Example: python -m bench.soak --calls 1000000 --conversations 1000
    """
    bad = False
    for way, work in WAYS.items():
        with tempfile.TemporaryDirectory() as name:
            # Profile paper: with the other the fault in every tenth result would soon be a known change, without a receipt.
            mine(ORDER.mined(), "paper").save(Path(name) / "contracts.json")
            begun = time.monotonic()
            account = work(Path(name), calls // 2, max(1, conversations // 2))
        write(report(way, account, time.monotonic() - begun))
        bad = bad or bool(account.wrong or account.miscounted)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main(prog_name="python -m bench.soak")
