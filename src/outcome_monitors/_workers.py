"""Observing in several processes: one reads and deals the calls out by bucket (`_sharding`), the others observe, all is merged.

The calls of a session come to one process, in order, and observations do not depend on their split: the contracts are the
same, byte for byte, with any number of processes.
"""

import multiprocessing
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess

from ._mining import Observations
from ._model import Call
from ._sharding import shard_of
from .exceptions import OutcomeMonitorsError

__all__ = ["observe_in_processes"]

BATCH = 100
"""Calls that are sent at once."""


def observe_in_processes(calls: Iterable[Call], observations: Observations, workers: int) -> None:
    """Add calls to observations, with so many processes at work beside this one."""
    with _team(observations, workers) as team:
        batches: list[list[Call]] = [[] for _ in team]
        for call in calls:
            mine = shard_of(call) % workers
            batches[mine].append(call)
            if len(batches[mine]) == BATCH:
                _send(team[mine], batches[mine])
                batches[mine] = []
        for line, batch in zip(team, batches, strict=True):
            _send(line, batch)
            _send(line, None)
        for line in team:
            observations.merge(_received(line))


def _send(line: Connection, batch: list[Call] | None) -> None:
    try:
        line.send(batch)
    except OSError:
        _received(line)  # which says why


def _received(line: Connection) -> Observations:
    try:
        found = line.recv()
    except EOFError:
        raise OutcomeMonitorsError(
            "a process of --workers ended without a word, perhaps for want of memory; try with fewer"
        ) from None
    if isinstance(found, str):
        raise OutcomeMonitorsError(f"a process of --workers failed: {found}")
    assert isinstance(found, Observations)
    return found


@contextmanager
def _team(observations: Observations, workers: int) -> Iterator[list[Connection]]:
    # Not forked: the parent may have threads, whose locks a copy of it would never see released.
    context = multiprocessing.get_context("spawn")
    lines: list[Connection] = []
    processes: list[SpawnProcess] = []
    try:
        for _ in range(workers):
            here, there = context.Pipe()
            process = context.Process(target=_work, args=(there, observations.empty()), daemon=True)
            process.start()
            there.close()
            lines.append(here)
            processes.append(process)
        yield lines
    finally:
        for line in lines:
            line.close()
        for process in processes:
            process.join(timeout=5)
            if process.is_alive():
                process.terminate()


def _work(line: Connection, observations: Observations) -> None:
    """Observe what comes until there is no more, and send what was observed; what goes wrong is sent as a text."""
    try:
        while (batch := line.recv()) is not None:
            for call in batch:
                observations.add(call)
        line.send(observations)
    except (EOFError, KeyboardInterrupt):
        pass  # whoever asked has gone
    except Exception as error:  # noqa: BLE001 - it is raised again where the work was asked for
        line.send(f"{type(error).__name__}: {error}")
