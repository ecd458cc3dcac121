"""The proxy on standard input and output: two pumps, one each way, and nothing between them but a look.

Plain threads and blocking reads: this works with pipes, files and terminals alike, on every system, and a side that does
not read holds up the other as it would without a proxy.
"""

import logging
import os
import select
import signal
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import IO

from .child_process import GRACE, Server, program_of, started
from .context import ProxyContext
from .framing import Cutter, Piece
from .session import JsonRpcSession
from .settings import ProxySettings
from .shutdown import DRAIN, Shutdown

log = logging.getLogger("outcome_monitors.mcp")

INPUT, OUTPUT = 0, 1
CHUNK = 64 * 1024
"""What a pipe holds."""
NOBODY_READS = 141
ENDED_BY_US = {-getattr(signal, name) for name in ("SIGTERM", "SIGKILL") if hasattr(signal, name)}


def relay(server: Server, context: ProxyContext, name: str, drain: float = DRAIN) -> int:
    """Relay until one side ends; return the exit status of the server, as a shell has it."""
    session = JsonRpcSession(context, name)
    process = server.process
    assert process.stdin is not None
    assert process.stdout is not None
    client_ended = threading.Event()

    def stopping() -> Callable[[], int]:
        """Return what counts the calls that wait for their answer now; those that come later are not waited for."""
        context.readiness.end()
        calls = session.waiting()
        # A client that has closed its end is about to go, and waits for nothing.
        return lambda: 0 if client_ended.is_set() else len(calls & session.waiting())

    shutdown = Shutdown(stopping, server.stop, drain)
    forth = (process.stdin, context, session, client_ended)
    threading.Thread(target=_forth, args=forth, daemon=True).start()
    context.readiness.begin(lambda: "" if process.poll() is None else "the server behind it has ended")

    def leaving() -> bool:
        """Say whether nobody waits for more than the server that has ended has said; what it started may hold its pipe for ever."""
        return (shutdown.ordered or client_ended.is_set()) and process.poll() is not None

    taken = _back(process.stdout.fileno(), context, session, leaving)
    session.ended()
    if not taken:
        log.info("the client has gone")
        server.stop()
        # Python flushes standard output once more at the end, and would complain.
        with suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), OUTPUT)
        return NOBODY_READS
    status = server.ended()
    if shutdown.ordered and status in ENDED_BY_US:
        # A server that ended because this one was told to has done well.
        return 0
    return status if status >= 0 else 128 - status


def _forth(
    stdin: IO[bytes], context: ProxyContext, session: JsonRpcSession, client_ended: threading.Event
) -> None:
    """Pass on what the client says, unmodified, until it ends or nobody takes it."""
    lines = Cutter(context.limit.largest)
    while chunk := _read(INPUT):
        # First: the answer may come at once.
        for piece in lines.feed(chunk):
            context.inspect(piece, session.from_client)
        if not _write(stdin.fileno(), chunk):
            break
    client_ended.set()
    with suppress(OSError):
        # The server learns that nothing more comes.
        stdin.close()


def _back(
    from_server: int, context: ProxyContext, session: JsonRpcSession, leaving: Callable[[], bool]
) -> bool:
    """Pass back what the server says, line by line, until it ends; say whether someone took it all."""
    lines = Cutter(context.limit.largest)

    def inspected(pieces: Iterable[Piece]) -> bytes:
        return b"".join([context.inspect(piece, session.from_server, session.too_large) for piece in pieces])

    while chunk := _read(from_server, leaving):
        if not _write(OUTPUT, inspected(lines.feed(chunk))):
            return False
    return _write(OUTPUT, inspected(lines.end()))


def _read(source: int, leaving: Callable[[], bool] | None = None) -> bytes:
    while True:
        try:
            if leaving is not None and hasattr(select, "poll"):
                while not _wait_for(source, reading=True, seconds=GRACE):
                    if leaving():
                        return b""
            return os.read(source, CHUNK)
        except BlockingIOError:
            _wait_for(source, reading=True)
        except OSError:
            return b""


def _write(target: int, data: bytes) -> bool:
    """Write it all, as fast as it is taken; say whether it was."""
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(target, left) :]
        except BlockingIOError:
            _wait_for(target, reading=False)
        except OSError:
            return False
    return True


def _wait_for(descriptor: int, *, reading: bool, seconds: float | None = None) -> bool:
    """Wait until a pipe has something, or takes something, even one that does not block; say whether that was so in time."""
    if not hasattr(select, "poll"):
        time.sleep(0.01)
        return True
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN if reading else select.POLLOUT)
    return bool(waiting.poll(None if seconds is None else seconds * 1000))


def run(settings: ProxySettings, command: Sequence[str], *, verbose: bool = False) -> int:
    """Run a server's command behind a proxy; return its exit status."""
    for number in (INPUT, OUTPUT):
        # Where one is closed, the next file that is opened would be taken for it: the lowest free number is given.
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # The server first: it starts while contracts are read.
    server = started(command)
    try:
        with settings.context(verbose=verbose, server=program_of(command)) as context:
            return relay(server, context, os.urandom(8).hex(), settings.drain)
    finally:
        server.stop()
