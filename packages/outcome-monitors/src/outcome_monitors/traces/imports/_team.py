"""Processes that work on one piece after the other, in turn: what they make of them is taken in the order of the pieces."""

import multiprocessing
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from outcome_monitors.exceptions import OutcomeMonitorsError

__all__ = ["Team"]

Given = TypeVar("Given")
Made = TypeVar("Made")

AHEAD = 3
"""Pieces that a process has at a time: one it works on, one that waits, and one that is made and not taken yet."""


class Team(Generic[Given, Made]):
    """So many processes at most, each started when there is work for it."""

    def __init__(self, work: Callable[[Given], Made], workers: int) -> None:
        self._work = work
        self._workers = workers
        self._processes: list[tuple[Any, Connection]] = []
        self._due: deque[Connection] = deque()
        """Whose result comes next."""
        self._next = 0

    def __enter__(self) -> "Team[Given, Made]":
        return self

    def __exit__(self, *why: object) -> None:
        # A process that has work left is not waited for: after an error nobody wants it.
        for _, here in self._processes:
            here.close()
        for process, _here in self._processes:
            process.join(timeout=0 if self._due else 5)
            if process.is_alive():
                process.terminate()
                process.join()

    @property
    def is_full(self) -> bool:
        """Say whether a result must be taken before more is put."""
        return len(self._due) >= AHEAD * self._workers

    def put(self, piece: Given) -> None:
        """Give a piece to the next process."""
        if len(self._processes) < self._workers:
            self._processes.append(self._started())
        _, here = self._processes[self._next % len(self._processes)]
        self._next += 1
        self._due.append(here)
        with suppress(OSError):  # that it has gone is said where its result is taken
            here.send(piece)

    def take(self) -> Made:
        """Wait for the result of the piece that was put first; raise OutcomeMonitorsError where its process has failed."""
        try:
            made, why = self._due.popleft().recv()
        except (EOFError, OSError):
            raise OutcomeMonitorsError(
                "a process of --workers ended without a word, perhaps for want of memory; try with fewer"
            ) from None
        if why is not None:
            raise OutcomeMonitorsError(f"a process of --workers failed: {why}")
        result: Made = made
        return result

    def _started(self) -> tuple[Any, Connection]:
        # Not forked: the parent may have threads, whose locks a copy of it would never see released.
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(there, self._work), daemon=True)
        with _uninterrupted():
            process.start()
        there.close()
        return process, here


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Start a process that an interrupt from the keyboard does not reach: it ends when this one has gone, without a word."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started by the first process otherwise, it would let interrupts through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(here: Connection, work: Callable[[Any], Any]) -> None:
    """Work on what comes until nobody asks any more.

    One thread receives and one sends, so that neither side ever waits for the other to do both.
    """
    come: SimpleQueue[Any] = SimpleQueue()
    made: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_receive, args=(here, come), daemon=True).start()
    threading.Thread(target=_send, args=(here, made), daemon=True).start()
    while (piece := come.get()) is not None:
        try:
            made.put((work(piece[0]), None))
        except Exception as error:  # noqa: BLE001 - it is raised again where the work was asked for
            made.put((None, f"{type(error).__name__}: {error}"))


def _receive(here: Connection, come: "SimpleQueue[Any]") -> None:
    with suppress(EOFError, OSError):
        while True:
            come.put((here.recv(),))
    come.put(None)


def _send(here: Connection, made: "SimpleQueue[Any]") -> None:
    with suppress(OSError):
        while True:
            here.send(made.get())
