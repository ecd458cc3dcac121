"""What sinks are made of: the protocol, a queue that never holds up a reply, and several sinks as one.

A queue is bounded, and one thread empties it. What cannot be written in time is dropped, counted and logged; `put` never waits and
never raises.
"""

import atexit
import contextlib
import logging
import math
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from .event import Event

log = logging.getLogger("outcome_monitors.events")

MOST_ITEMS = 20_000
MOST_WEIGHT = 64 * 2**20
"""Bytes, roughly, that may wait beside the items themselves: of payloads."""
GATHER = 0.1
"""Seconds that items gather for, so that they are written together and the writer wakes seldom."""
BATCH = 1_000
PAYLOAD_WEIGHT = 1000
"""Bytes that a payload takes beside its texts, roughly."""
PATIENCE = 30.0
"""Seconds for which a batch that cannot be written is tried again."""
BETWEEN_TRIES = 0.5
MOST_TRIES = 150
"""Of one batch, roughly."""
BETWEEN_WARNINGS = 60.0
AT_THE_END = 3.0
"""Seconds that closing may take."""

T = TypeVar("T")


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
        batch: int = BATCH,
    ) -> None:
        self.lost = 0
        self._name, self._write, self._stop = name, write, stop
        self._gather, self._patience, self._batch = gather, patience, batch
        self._waiting: deque[tuple[T, int]] = deque()
        self._weight = 0
        self._in_hand = 0
        self.closed = threading.Event()
        """Set as soon as it is being closed."""
        self._wake = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._process: int | None = None
        """The process that the thread runs in."""
        self._warned: dict[str, float] = {}
        """When it was last logged that something was lost, and is tried again."""
        self._deadline = math.inf
        self._finalizer: Any = None

    def put(self, item: T, weight: int = 0) -> None:
        """Take an item; where there is no room it is lost."""
        if self._process != os.getpid():
            self._start()
        if self.closed.is_set():
            self.lose("the queue is closed")
        elif len(self._waiting) >= MOST_ITEMS or self._weight + weight > MOST_WEIGHT:
            self.lose("the queue is full")
        else:
            with self._lock:
                self._weight += weight
            self._waiting.append((item, weight))
            self._wake.set()

    def lose(self, why: str, number: int = 1) -> None:
        """Count what could not be put in, or was refused for good."""
        with self._lock:
            self.lost += number
        self._warn("lost", f"{why}; {self.lost} lost so far")

    def close(self, within: float = AT_THE_END) -> None:
        """Write what waits, as far as that is possible in a few seconds."""
        atexit.unregister(self.close)
        if self._finalizer is not None:
            self._finalizer.cancel()
        self._deadline = time.monotonic() + within
        self.closed.set()
        self._wake.set()
        if self._thread is None or self._process != os.getpid():
            return
        self._thread.join(within + BETWEEN_TRIES)
        if self._thread.is_alive():
            self.lose("there was no more time", len(self._waiting) + self._in_hand)

    def _start(self) -> None:
        """Start the thread, once in each process: a fork takes the queue along, but not the thread."""
        with self._lock:
            if self._process == os.getpid():
                return
            if self._process is not None:
                self._waiting.clear()
                self._weight = 0
                self._wake = threading.Event()
            self._process = os.getpid()
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
            atexit.register(self.close)
            # A worker of multiprocessing ends without what Python does at the end of others.
            if (util := sys.modules.get("multiprocessing.util")) is not None:
                self._finalizer = util.Finalize(None, self.close, exitpriority=0)

    def _run(self) -> None:
        while not (self.closed.is_set() and not self._waiting):
            self._wake.wait()
            self.closed.wait(self._gather)
            self._wake.clear()
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(self._batch, len(self._waiting)))]
                self._in_hand = len(batch)
                self._try([item for item, _ in batch])
                self._in_hand = 0
                with self._lock:
                    # Only now: until they are written they count against the bounds.
                    self._weight -= sum(weight for _, weight in batch)
        if self._stop is not None:
            with contextlib.suppress(Exception):
                self._stop()

    def _try(self, items: list[T]) -> None:
        until, pause = time.monotonic() + self._patience, BETWEEN_TRIES
        while True:
            try:
                self._write(items)
            except Exception as error:  # noqa: BLE001 - a sink's trouble is its own
                if time.monotonic() >= min(until, self._deadline):
                    self.lose(str(error), len(items))
                    return
                self._warn("again", f"{error}; trying again")
                # The pause ends when the queue is closed; what is left of the time then is used in smaller steps.
                if self.closed.wait(pause):
                    time.sleep(BETWEEN_TRIES / 10)
                # Where there is much time, a host that cannot be reached is not asked for all the while.
                pause = min(2 * pause, max(BETWEEN_TRIES, self._patience / MOST_TRIES))
            else:
                return

    def _warn(self, what: str, text: str) -> None:
        now = time.monotonic()
        if now - self._warned.get(what, -math.inf) >= BETWEEN_WARNINGS:
            self._warned[what] = now
            log.warning("%s: %s", self._name, text)


class QueuedSink(Generic[T]):
    """A sink whose items wait in a queue until they are written."""

    def __init__(self, background: Background[T]) -> None:
        self._background = background

    def close(self) -> None:
        """Write what still waits."""
        self._background.close()

    @property
    def lost(self) -> int:
        """How many items could not be written."""
        return self._background.lost


class Sink(Protocol):
    """Takes events; neither waits nor raises."""

    def put(self, event: Event) -> None:
        """Take one event."""

    def close(self) -> None:
        """Write what still waits."""

    @property
    def lost(self) -> int:
        """How many events could not be written."""


class QueuedStore(QueuedSink[Event]):
    """A sink that events can be read back from."""

    escaped = 0
    """Events that had no form as they were, and were kept in an escaped one."""

    def put(self, event: Event) -> None:
        """Take one event."""
        self._background.put(
            event, 0 if event.payload is None else PAYLOAD_WEIGHT + sum(map(len, event.payload))
        )


class Fan:
    """Several sinks as one."""

    def __init__(self, sinks: Iterable[Sink]) -> None:
        self.sinks: tuple[Sink, ...] = tuple(
            each for sink in sinks for each in (sink.sinks if isinstance(sink, Fan) else (sink,))
        )

    def observe(self, stages: Callable[[], Mapping[str, str]], order: Sequence[str]) -> None:
        """Have those that measure stages do so."""
        for sink in self.sinks:
            if hasattr(sink, "observe"):
                sink.observe(stages, order)

    def put(self, event: Event) -> None:
        """Take one event."""
        for sink in self.sinks:
            sink.put(event)

    def close(self) -> None:
        """Write what still waits."""
        for sink in self.sinks:
            sink.close()

    @property
    def lost(self) -> int:
        """How many events could not be written."""
        return sum(sink.lost for sink in self.sinks)


def fanned(*sinks: Sink | None) -> Sink | None:
    """Return several sinks as one; those that are None are none."""
    known = [sink for sink in sinks if sink is not None]
    return known[0] if len(known) == 1 else Fan(known) if known else None
