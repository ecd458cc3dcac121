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
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from .child_process import Server, program_of, started
from .dialogue import Dialogue
from .drain import DRAIN, StopOrder
from .framing import Cutter
from .look import LateLook, PieceLook
from .settings import Setting

if TYPE_CHECKING:
    from .desk import Desk

__all__ = ["relay", "run"]

log = logging.getLogger("outcome_monitors.proxy")

INPUT, OUTPUT = 0, 1
CHUNK = 64 * 1024
"""What a pipe holds, and few enough bytes to be taken from the heap: more of them the system gives and takes back each time."""
NOBODY_READS = 141
ENDED_BY_US = {-getattr(signal, name) for name in ("SIGTERM", "SIGKILL") if hasattr(signal, name)}
NOTHING_TO_WAIT_AT = 0.01
"""Seconds after which a pipe that does not block is tried again, where the system has no better way."""


def relay(server: Server, desk: "Desk", name: str, drain: float = DRAIN) -> int:
    """Relay until one side ends; return the exit status of the server, as a shell has it."""
    dialogue = Dialogue(desk, name)
    process = server.process
    assert process.stdin is not None
    assert process.stdout is not None
    to_server, from_server = process.stdin.fileno(), process.stdout.fileno()
    ended = threading.Event()
    asked = LateLook(PieceLook(desk, dialogue.asked))
    order = StopOrder(lambda: _under_way(desk, dialogue, asked, ended), server.stop, drain)
    order.listen()
    forth = (process.stdin, to_server, asked, desk.budget.largest, ended)
    threading.Thread(target=_forth, args=forth, daemon=True).start()
    answers = PieceLook(desk, dialogue.answered, dialogue.passed)
    desk.readiness.begin(lambda: "" if process.poll() is None else "the server behind it has ended")
    client_is_there = _back(from_server, answers, asked, desk.budget.largest)
    if not client_is_there:
        log.info("the client has gone")
        server.stop()
        _leave_standard_output()
        return NOBODY_READS
    return _status(server.ended(), order)


def _under_way(
    desk: "Desk", dialogue: "Dialogue", asked: "LateLook", ended: threading.Event
) -> Callable[[], int]:
    """Return what counts the calls that wait for their answer now; those that come later are not waited for."""
    desk.readiness.end()
    asked.catch_up()
    calls = dialogue.waiting()
    # A client that has closed its end is about to go, and waits for nothing.
    return lambda: 0 if ended.is_set() else len(calls & dialogue.waiting())


def _status(status: int, order: StopOrder) -> int:
    """Return an exit status as a shell has it: a server that ended because this one was told to has done well."""
    if order.given and status in ENDED_BY_US:
        return 0
    return status if status >= 0 else 128 - status


def _forth(stdin: object, to_server: int, asked: "LateLook", largest: int, ended: threading.Event) -> None:
    """Pass on what the client says, as it comes, until it ends or nobody takes it."""
    lines = Cutter(largest)
    while chunk := _read(INPUT):
        asked.put(lines.feed(chunk))
        if not _write(to_server, chunk):
            break
        asked.catch_up()
    ended.set()
    with suppress(OSError):
        stdin.close()  # type: ignore[attr-defined]  # a pipe; the server learns that nothing more comes


def _back(from_server: int, look: "PieceLook", asked: "LateLook", largest: int) -> bool:
    """Pass back what the server says, line by line, until it ends; say whether someone took it all."""
    lines = Cutter(largest)
    while chunk := _read(from_server):
        pieces = lines.feed(chunk)
        asked.catch_up()
        if not _write(OUTPUT, b"".join([look(piece) for piece in pieces])):
            return False
    return _write(OUTPUT, b"".join([look(piece) for piece in lines.end()]))


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
    left: bytes | memoryview = data
    while left:
        try:
            written = os.write(target, left)
        except BlockingIOError:
            _wait_for(target, reading=False)
        except OSError:
            return False
        else:
            if written == len(left):
                return True
            left = memoryview(left)[written:]
    return True


def _wait_for(descriptor: int, *, reading: bool) -> None:
    """Wait until a pipe that does not block has something, or takes something: whose it is too may have set it so."""
    if not hasattr(select, "poll"):
        time.sleep(NOTHING_TO_WAIT_AT)
        return
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN if reading else select.POLLOUT)
    waiting.poll()


def _leave_standard_output() -> None:
    # Python flushes it once more at the end, and would complain.
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), OUTPUT)


def _stand_ins() -> None:
    """Have standard input and output be something where they are closed, or the next file that is opened would be taken for them."""
    for number in (INPUT, OUTPUT):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free: this one.
            os.open(os.devnull, os.O_RDWR)


def run(setting: Setting, command: Sequence[str], *, verbose: bool = False) -> int:
    """Run a server's command behind a proxy; return its exit status."""
    _stand_ins()
    # The server first: it starts while contracts are read.
    server = started(command)
    try:
        with setting.desk(verbose=verbose, server=program_of(command)) as desk:
            return relay(server, desk, os.urandom(8).hex(), setting.drain)
    finally:
        server.stop()
