"""The proxy on standard input and output: two pumps, one each way, and nothing between them but a look.

What the client says is passed on first and looked at while the server is at work on it: nothing of it is ever changed.

Plain threads and blocking reads: this works with pipes, files and terminals alike, on every system, and a side that does
not read holds up the other as it would without a proxy.
"""

import logging
import os
import select
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import IO

from .child_process import Server, program_of, started
from .context import ProxyContext
from .framing import Cutter, Piece
from .session import JsonRpcSession
from .settings import ProxySettings
from .shutdown import DRAIN, Shutdown

__all__ = ["DeferredInspection", "relay", "run"]

log = logging.getLogger("outcome_monitors.proxy")

INPUT, OUTPUT = 0, 1
CHUNK = 64 * 1024
"""What a pipe holds."""
NOBODY_READS = 141
ENDED_BY_US = {-getattr(signal, name) for name in ("SIGTERM", "SIGKILL") if hasattr(signal, name)}


class DeferredInspection:
    """Looks at what the client says when it has been passed on: the server is at work meanwhile.

    The answer may be here before the request was looked at: whoever needs that done catches up.
    """

    def __init__(self, context: ProxyContext, session: JsonRpcSession) -> None:
        self._context, self._session = context, session
        self._pieces: deque[Piece] = deque()
        self._lock = threading.Lock()

    def put(self, pieces: Iterable[Piece]) -> None:
        """Take pieces that are about to be passed on."""
        self._pieces.extend(pieces)

    def catch_up(self) -> None:
        """Look at all that was taken, in order; when this is done all of it was looked at, by whomever."""
        while self._pieces:
            with self._lock:
                if self._pieces:
                    self._context.inspect(self._pieces[0], self._session.asked)
                    # Only now: who finds none left need not wait.
                    self._pieces.popleft()


def relay(server: Server, context: ProxyContext, name: str, drain: float = DRAIN) -> int:
    """Relay until one side ends; return the exit status of the server, as a shell has it."""
    session = JsonRpcSession(context, name)
    process = server.process
    assert process.stdin is not None
    assert process.stdout is not None
    client_ended = threading.Event()
    asked = DeferredInspection(context, session)

    def stopping() -> Callable[[], int]:
        """Return what counts the calls that wait for their answer now; those that come later are not waited for."""
        context.readiness.end()
        asked.catch_up()
        calls = session.waiting()
        # A client that has closed its end is about to go, and waits for nothing.
        return lambda: 0 if client_ended.is_set() else len(calls & session.waiting())

    shutdown = Shutdown(stopping, server.stop, drain)
    forth = (process.stdin, asked, context.limit.largest, client_ended)
    threading.Thread(target=_forth, args=forth, daemon=True).start()
    context.readiness.begin(lambda: "" if process.poll() is None else "the server behind it has ended")
    if not _back(process.stdout.fileno(), context, session, asked):
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


def _forth(stdin: IO[bytes], asked: DeferredInspection, largest: int, client_ended: threading.Event) -> None:
    """Pass on what the client says, unmodified, until it ends or nobody takes it."""
    lines = Cutter(largest)
    while chunk := _read(INPUT):
        asked.put(lines.feed(chunk))
        if not _write(stdin.fileno(), chunk):
            break
        asked.catch_up()
    client_ended.set()
    with suppress(OSError):
        # The server learns that nothing more comes.
        stdin.close()


def _back(
    from_server: int, context: ProxyContext, session: JsonRpcSession, asked: DeferredInspection
) -> bool:
    """Pass back what the server says, line by line, until it ends; say whether someone took it all."""
    lines = Cutter(context.limit.largest)

    def inspected(pieces: Iterable[Piece]) -> bytes:
        return b"".join([context.inspect(piece, session.answered, session.passed) for piece in pieces])

    while chunk := _read(from_server):
        asked.catch_up()
        if not _write(OUTPUT, inspected(lines.feed(chunk))):
            return False
    return _write(OUTPUT, inspected(lines.end()))


def _read(source: int) -> bytes:
    while True:
        try:
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


def _wait_for(descriptor: int, *, reading: bool) -> None:
    """Wait until a pipe that does not block has something, or takes something: whose it is too may have set it so."""
    if not hasattr(select, "poll"):
        time.sleep(0.01)
        return
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN if reading else select.POLLOUT)
    waiting.poll()


def run(settings: ProxySettings, command: Sequence[str], *, verbose: bool = False) -> int:
    """Run a server's command behind a proxy; return its exit status."""
    for number in (INPUT, OUTPUT):
        # Where one is closed, the next file that is opened would be taken for it.
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free: this one.
            os.open(os.devnull, os.O_RDWR)
    # The server first: it starts while contracts are read.
    server = started(command)
    try:
        with settings.context(verbose=verbose, server=program_of(command)) as context:
            return relay(server, context, os.urandom(8).hex(), settings.drain)
    finally:
        server.stop()
