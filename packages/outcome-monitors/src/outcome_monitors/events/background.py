"""Work that must never hold up a reply: a bounded queue, and one thread that empties it.

What cannot be written in time is dropped, counted and logged; whoever puts something in never waits and never sees an
error.
"""

import atexit
import contextlib
import logging
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

__all__ = ["GATHER", "PATIENCE", "Background"]

log = logging.getLogger("outcome_monitors.events")

MOST_ITEMS = 20_000
MOST_WEIGHT = 64 * 2**20
"""Bytes, roughly, that may wait beside the items themselves: of payloads."""
GATHER = 0.1
"""Seconds that items gather for, so that they are written together and the writer wakes seldom."""
BATCH = 1_000
PATIENCE = 30.0
"""Seconds for which a batch that cannot be written is tried again."""
BETWEEN_TRIES = 0.5
MOST_TRIES = 150
"""Of one batch, roughly."""
BETWEEN_WARNINGS = 60.0
AT_THE_END = 3.0
"""Seconds that closing may take."""

T = TypeVar("T")

_forks = 0
"""Forks that this process is the last of: the id of a process is asked of the system, which takes as long as all else."""


def _forked() -> None:
    global _forks  # noqa: PLW0603 - there is one count in a process
    _forks += 1


if hasattr(os, "register_at_fork"):  # where there are forks
    os.register_at_fork(after_in_child=_forked)


class Background(Generic[T]):
    """Hands what is put in to `write`, in order and in batches, on a thread of its own.

    `write` may raise: the batch is then tried again for a while. `stop` is called on the same thread at the end.
    """

    def __init__(
        self,
        name: str,
        write: Callable[[Sequence[T]], None],
        stop: Callable[[], None] | None = None,
        *,
        gather: float = GATHER,
        patience: float = PATIENCE,
    ) -> None:
        self.lost = 0
        self._gather, self._patience = gather, patience
        self._name, self._write, self._stop = name, write, stop
        self._waiting: deque[tuple[T, int]] = deque()
        self._weight = 0
        self._wake, self._awake = threading.Event(), False
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._shut = False
        self._forks: int | None = None
        """How many forks there had been when the thread was started."""
        self._warned = -BETWEEN_WARNINGS
        self._in_hand = 0
        self._deadline = math.inf

    def put(self, item: T, weight: int = 0) -> None:
        """Take an item; where there is no room it is lost."""
        if self._forks != _forks:
            self._start()
        waiting = self._waiting
        room = len(waiting) < MOST_ITEMS and self._weight + weight <= MOST_WEIGHT
        if not room or self._shut:
            self._lose(1, "the queue is closed" if room else "the queue is full")
            return
        if weight:
            with self._lock:
                self._weight += weight
        # One step of the interpreter; that several at once may find the last place free is no harm.
        waiting.append((item, weight))
        if not self._awake:
            self._awake = True
            self._wake.set()

    def lose(self, why: str, number: int = 1) -> None:
        """Count what could not even be put in, or was refused for good."""
        self._lose(number, why)

    def close(self, within: float = AT_THE_END) -> None:
        """Write what waits, as far as that is possible in a few seconds."""
        atexit.unregister(self.close)
        self._deadline = time.monotonic() + within
        self._shut = True
        self._closed.set()
        self._wake.set()
        if self._thread is None or self._forks != _forks:
            return
        self._thread.join(within + BETWEEN_TRIES)
        if self._thread.is_alive():
            self._lose(len(self._waiting) + self._in_hand, "there was no more time")

    def _start(self) -> None:
        """Start the thread, once in each process: a fork takes the queue along, but not the thread."""
        with self._lock:
            if self._forks == _forks:
                return
            if self._forks is not None:
                self._waiting.clear()
                self._weight = 0
                self._wake, self._awake = threading.Event(), False
            self._forks = _forks
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
            atexit.register(self.close)

    def _run(self) -> None:
        while not (self._closed.is_set() and not self._waiting):
            self._wake.wait()
            self._closed.wait(self._gather)
            self._wake.clear()
            # In this order: who puts something in between finds the thread awake, and it is.
            self._awake = False
            while self._waiting:
                self._hand_over()
        if self._stop is not None:
            with contextlib.suppress(Exception):
                self._stop()

    def _hand_over(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
        self._in_hand = len(batch)
        self._try([item for item, _ in batch])
        self._in_hand = 0
        weight = sum(weight for _, weight in batch)
        if weight:
            with self._lock:
                # Only now: until they are written they count against the bounds.
                self._weight -= weight

    def _try(self, items: list[T]) -> None:
        until, pause = time.monotonic() + self._patience, BETWEEN_TRIES
        while True:
            try:
                self._write(items)
            except Exception as error:  # noqa: BLE001 - a sink's trouble is its own
                if time.monotonic() >= min(until, self._deadline):
                    self._lose(len(items), str(error))
                    return
                self._warn(f"{self._name}: {error}; trying again")
                # The pause ends when the queue is closed; what is left of the time then is used in smaller steps.
                if self._closed.wait(pause):
                    time.sleep(BETWEEN_TRIES / 10)
                # Where there is much time, a host that cannot be reached is not asked for all the while.
                pause = min(2 * pause, max(BETWEEN_TRIES, self._patience / MOST_TRIES))
            else:
                return

    def _lose(self, number: int, why: str) -> None:
        with self._lock:
            self.lost += number
        self._warn(f"{self._name}: {why}; {self.lost} lost so far")

    def _warn(self, text: str) -> None:
        now = time.monotonic()
        if now - self._warned >= BETWEEN_WARNINGS:
            self._warned = now
            log.warning(text)
