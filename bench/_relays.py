"""Relays that only copy, which say what any process between a client and a server costs: `python -m bench._relays`.

`stdio COMMAND...` runs a server behind two threads that read and write; `http PORT LISTEN` copies what comes over each connection to a
server at a port of this machine, in the loop that the proxy runs in. Neither looks at anything, nor holds anything up.
"""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence

CHUNK = 64 * 1024


def stdio(*command: str) -> None:
    """Copy between standard input and output and those of a server."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        threading.Thread(target=_forth, args=(server.stdin,), daemon=True).start()
        _copy(server.stdout.fileno(), 1)


def _forth(stdin: object) -> None:
    _copy(0, stdin.fileno())  # type: ignore[attr-defined]  # a pipe
    stdin.close()  # type: ignore[attr-defined]  # the same


def _copy(source: int, target: int) -> None:
    while data := os.read(source, CHUNK):
        while data:
            data = data[os.write(target, data) :]


def http(port: str, listen: str) -> None:
    """Copy between the connections of clients and others to a server."""
    asyncio.run(_serve(int(port), int(listen)))


async def _serve(port: int, listen: int) -> None:
    server = await asyncio.get_running_loop().create_server(lambda: _Front(port), "127.0.0.1", listen)
    await server.serve_forever()


class _End(asyncio.Protocol):
    """One end of a connection, which copies to the other."""

    def __init__(self, other: asyncio.Transport | None = None) -> None:
        self.other = other
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        assert self.other is not None
        self.other.write(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other is not None:
            self.other.close()


class _Front(_End):
    """A client's end, which waits until there is a connection to the server."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        assert self.transport is not None
        self.transport.pause_reading()
        self._task = asyncio.get_running_loop().create_task(self._connect(self.transport))

    async def _connect(self, transport: asyncio.Transport) -> None:
        loop = asyncio.get_running_loop()
        _, end = await loop.create_connection(lambda: _End(transport), "127.0.0.1", self._port)
        self.other = end.transport
        transport.resume_reading()


RELAYS: dict[str, Callable[..., None]] = {"stdio": stdio, "http": http}


def relay_command(kind: str, *arguments: str) -> Sequence[str]:
    """Return the command of a relay."""
    return [sys.executable, "-m", "bench._relays", kind, *arguments]


if __name__ == "__main__":
    RELAYS[sys.argv[1]](*sys.argv[2:])
