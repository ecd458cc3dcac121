"""Observing in several processes: one finds the lines and deals them out by bucket, the others parse and observe.

The calls of a session come to one process, in order, and observations do not depend on their split: the contracts are the
same, byte for byte, with any number of processes. Lines that are no calls are told in the order in which they stand.

Which bucket a trace line belongs to is told, as a rule, without parsing it. Parsing is what several processes are to share, so the one that deals lines out must not do it. A line is looked at as bytes:
where `"session"` stands in it once, with a plain text after it, either that is the session, or the line has none, and a line
without a session may go anywhere. All others are parsed.
"""

import multiprocessing
import queue
import re
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import merge
from itertools import repeat
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from outcome_monitors.exceptions import OutcomeMonitorsError, TraceError
from outcome_monitors.traces.reader import Held, Line, parse_line

from .buckets import BUCKETS, bucket_of, shard_of
from .observations import Observations

__all__ = ["WorkerShare", "bucket_of_line", "observe_in_processes"]

BATCH = 100
"""Lines that are sent at once."""
AHEAD = 16
"""Batches that wait for a process while it is busy with another."""
LARGE = 65_536
"""Bytes of a line that is not kept waiting for others: of those, a hundred would be much."""


@dataclass(slots=True)
class WorkerShare:
    """What one process has observed, or all of them."""

    observations: Observations
    calls: int = 0
    failed_openly: int = 0
    bad: dict[tuple[int, str], "array[int]"] = field(default_factory=dict)
    """The numbers of the lines that are no calls, by file and reason: eight bytes each, as there may be millions."""

    def add(self, line: Line) -> None:
        """Observe what stands in a line."""
        file, number, held = line
        try:
            call = parse_line(held)
        except TraceError as bad:
            self.skip(file, number, str(bad))
            return
        self.calls += 1
        self.failed_openly += call.error
        self.observations.add(call)

    def skip(self, file: int, number: int, why: str) -> None:
        """Note a line that is no call."""
        self.bad.setdefault((file, why), array("Q")).append(number)

    def merge(self, other: "WorkerShare") -> None:
        """Add what another process has observed."""
        self.observations.merge(other.observations)
        self.calls += other.calls
        self.failed_openly += other.failed_openly
        for (file, why), numbers in other.bad.items():
            mine = self.bad.get((file, why), array("Q"))
            self.bad[file, why] = array("Q", merge(mine, numbers))

    def in_order(self) -> Iterator[tuple[int, int, str]]:
        """Yield the file, the number and the reason of each line that is no call."""
        columns = (zip(repeat(file), numbers, repeat(why)) for (file, why), numbers in self.bad.items())
        return merge(*columns)


def observe_in_processes(
    lines: Iterable[Line], observations: Observations, workers: int, *, strict: bool = False
) -> WorkerShare:
    """Add the calls of lines to observations, with so many processes at work beside this one.

    With `strict` the work ends soon after the first line that is no call; that one is among those told.
    """
    whole = WorkerShare(observations)
    with _team(WorkerShare(observations.empty()), workers, strict) as team:
        with _senders(team) as senders:
            _deal(lines, senders, lambda: strict and any(there.poll() for there in team))
        for there in team:
            whole.merge(_received(there))
    return whole


def _deal(lines: Iterable[Line], senders: Sequence["_Sender"], stopped: Callable[[], bool]) -> None:
    """Hand each line to the process of its bucket, until someone has found reason to stop."""
    batches: list[list[Line]] = [[] for _ in senders]
    for line in lines:
        _, number, held = line
        mine = bucket_of_line(held, number) % len(senders)
        batches[mine].append(line)
        if len(batches[mine]) == BATCH or (isinstance(held, bytes) and len(held) > LARGE):
            senders[mine].put(batches[mine])
            batches[mine] = []
            if stopped():
                break
    for sender, batch in zip(senders, batches, strict=True):
        sender.put(batch)


class _Sender(threading.Thread):
    """Sends to one process, so that no other waits while that one is busy: a pipe holds less than a batch."""

    def __init__(self, there: Connection) -> None:
        super().__init__(daemon=True)
        self._there = there
        self._batches: queue.Queue[list[Line] | None] = queue.Queue(AHEAD)
        self.start()

    def put(self, batch: list[Line] | None) -> None:
        """Hand over a batch; None after the last."""
        self._batches.put(batch)

    def run(self) -> None:
        """Send what comes; when the other end has gone, nothing more: what it said last is received where its share is."""
        gone = False
        while True:
            batch = self._batches.get()
            try:
                if not gone:
                    self._there.send(batch)
            except OSError:
                gone = True
            if batch is None:
                return


@contextmanager
def _senders(team: Sequence[Connection]) -> Iterator[list[_Sender]]:
    """Give a sender to each process, and wait until all is sent: whoever forks afterwards must be alone."""
    senders = [_Sender(there) for there in team]
    try:
        yield senders
    finally:
        for sender in senders:
            sender.put(None)
        for sender in senders:
            sender.join()


def _received(there: Connection) -> WorkerShare:
    try:
        # An early word, that there was a bad line, comes before the share itself.
        found = there.recv() or there.recv()
    except EOFError:
        raise OutcomeMonitorsError(
            "a process of --workers ended without a word, perhaps for want of memory; try with fewer"
        ) from None
    if isinstance(found, str):
        raise OutcomeMonitorsError(f"a process of --workers failed: {found}")
    assert isinstance(found, WorkerShare)
    return found


@contextmanager
def _team(empty: WorkerShare, workers: int, strict: bool) -> Iterator[list[Connection]]:
    # Not forked: the parent may have threads, whose locks a copy of it would never see released.
    context = multiprocessing.get_context("spawn")
    team: list[Connection] = []
    processes: list[SpawnProcess] = []
    try:
        for _ in range(workers):
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there, empty, strict), daemon=True)
            process.start()
            there.close()
            team.append(here)
            processes.append(process)
        yield team
    finally:
        for here in team:
            here.close()
        for process in processes:
            process.join(timeout=5)
            if process.is_alive():
                process.terminate()


def _work(here: Connection, share: WorkerShare, strict: bool) -> None:
    """Observe what comes until there is no more, and send what was observed; what goes wrong is sent as a text."""
    try:
        _observe(here, share, strict)
        here.send(share)
    except (EOFError, KeyboardInterrupt):
        pass  # whoever asked has gone
    except Exception as error:  # noqa: BLE001 - it is raised again where the work was asked for
        here.send(f"{type(error).__name__}: {error}")


def _observe(here: Connection, share: WorkerShare, strict: bool) -> None:
    while (batch := here.recv()) is not None:
        for line in batch:
            if strict and share.bad:
                break  # what is still on its way is received, so that nobody waits, and not looked at
            share.add(line)
            if strict and share.bad:
                here.send(None)


KEY = b'"session"'
_PLAIN = re.compile(rb'"session"\s*:\s*"([^"\\]*)"')
# A key may be written with escapes: each letter of `session` has a code from 65 to 73, in hexadecimal.
_ESCAPES = (b"\\u006", b"\\u007")


def bucket_of_line(held: Held, number: int) -> int:
    """Return the bucket of what stands in a line; `number` deals out those that may stand anywhere."""
    if isinstance(held, bytes) and not (b"\\" in held and any(escape in held for escape in _ESCAPES)):
        at = held.find(KEY)
        if at < 0:
            return number % BUCKETS
        if held.find(KEY, at + 1) < 0 and (found := _PLAIN.match(held, at)):
            return _bucket(found[1])
    return _parsed(held, number)


@lru_cache(maxsize=4096)
def _bucket(session: bytes) -> int:
    try:
        return bucket_of(session.decode())
    except UnicodeDecodeError:
        return 0  # no call: whoever parses it says so


def _parsed(held: Held, number: int) -> int:
    try:
        return shard_of(parse_line(held))
    except TraceError:
        return number % BUCKETS
