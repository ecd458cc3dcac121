"""A server that fails: `python -m bench._soak_server http PORT SEED`, or `stdio SEED`.

It tears its replies into pieces, cuts some short, hangs up, says what is no message, and is killed by others or by itself.
"""

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable

from ._servers import answer

__all__ = ["COMMAND"]

COMMAND = (sys.executable, "-m", "bench._soak_server")

TORN, CUT, HUNG_UP, NOISE = 0.02, 0.0005, 0.0005, 0.01
"""Shares of the replies that are torn, cut short, not given, or given behind a line that is no message."""
DIES_ONCE_IN = 20_000
"""Replies over stdio, of which one is the last."""
NOISES = (b'INFO {"request": {"id": 0042\n', b'{"id":007\n', b'{"id":"\\q"}\n', b"\xff\xfe\n", b"\t\n")


def http(port: int, seed: int) -> None:
    """Serve HTTP, by hand: what is measured is the proxy."""
    rng = random.Random(seed)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await _exchange(reader, writer, rng):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def main() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=1000)
        await server.serve_forever()

    asyncio.run(main())


async def _exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, rng: random.Random) -> bool:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
    body = json.dumps(answer(json.loads(await reader.readexactly(size)))).encode()
    reply = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body
    )
    chance = rng.random()
    if chance < HUNG_UP:
        return False
    if chance < HUNG_UP + CUT:
        writer.write(reply[: len(reply) // 2])
        return False
    for part in _torn(reply, rng) if chance < TORN else [reply]:
        writer.write(part)
        await writer.drain()
        await asyncio.sleep(0.001 if part is not reply else 0)
    return True


def stdio(seed: int) -> None:
    """Serve standard input and output."""
    rng = random.Random(seed)
    for line in sys.stdin.buffer:
        reply = json.dumps(answer(json.loads(line))).encode() + b"\n"
        chance = rng.random()
        if chance < NOISE:
            _say(rng.choice(NOISES))
        if rng.random() * DIES_ONCE_IN < 1:
            _say(reply[: len(reply) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        for part in _torn(reply, rng) if chance < TORN else [reply]:
            _say(part)


def _say(part: bytes) -> None:
    os.write(1, part)
    if not part.endswith(b"\n"):
        time.sleep(0.0005)


def _torn(reply: bytes, rng: random.Random) -> list[bytes]:
    first, second = sorted(rng.sample(range(1, len(reply)), 2))
    return [reply[:first], reply[first:second], reply[second:]]


SERVERS: dict[str, Callable[..., None]] = {"http": http, "stdio": stdio}

if __name__ == "__main__":
    SERVERS[sys.argv[1]](*map(int, sys.argv[2:]))
