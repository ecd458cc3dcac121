"""How much of recorded traffic is kept: by tool, client and task, so that nobody's calls push out what others' are known by."""

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.files import write_atomically
from outcome_monitors.model import Contract

K = TypeVar("K", bound=Hashable)

MOST_BYTES = 256 * 2**20
"""Of recorded traffic."""
LEFT = 0.9
"""The share of that which is left where it was more: it is not done anew each time."""
TASK_BYTES = 64 * 1024
"""Of a task, its last calls, that come before all further calls of any task."""
LEAST_SHARE = 0.8
"""A contract that is mined from a smaller share of the tasks, and says less, knows less."""


class Shrunk(NamedTuple):
    """A contract that is kept, since what is left of the traffic shows less."""

    before: int
    """Tasks that it was mined from."""
    left: int


def keep_known(before: Registry, after: Registry) -> tuple[Registry, dict[str, Shrunk]]:
    """Return what was mined, with the earlier contracts of tools of which less is known now without a cause.

    Results that break a clause are a cause to drop it; that its evidence is gone is none.
    """
    kept, contracts = {}, dict(after.contracts)
    for tool, contract in before.contracts.items():
        now = contracts.get(tool)
        shrunk = Shrunk(_tasks(contract), 0 if now is None else _tasks(now))
        if shrunk.left < LEAST_SHARE * shrunk.before and not _places(contract) <= _places(now):
            contracts[tool], kept[tool] = contract, shrunk
    return (Registry(contracts, after.profile) if kept else after), kept


def prune(folder: Path, most: int = MOST_BYTES) -> list[Path]:
    """Return the trace files, oldest first; where they are too much, lines are deleted from all but the newest.

    Tools share the room equally, and so do the clients of a tool: what one leaves is the others'. Of each, the last calls of every task
    are kept first, and then the newest.
    """
    files = sorted(folder.glob("*.jsonl"))
    if sum(file.stat().st_size for file in files) <= most:
        return files
    sizes, first = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    tasks = Counter[tuple[str, str, str]]()
    for file in files:
        for line in file.read_bytes().splitlines(keepends=True):
            *owner, task = _owner(line)
            whose = owner[0], owner[1]
            sizes[whose] += len(line)
            taken = min(len(line), max(0, TASK_BYTES - tasks[*whose, task]))
            tasks[*whose, task] += taken
            first[whose] += taken
    room = dict(_shares(sizes, int(LEFT * most)))
    early = Counter({whose: min(room[whose], size) for whose, size in first.items()})
    late = Counter({whose: room[whose] - early[whose] for whose in room})
    tasks.clear()
    left = []
    for file in reversed(files):
        kept: list[bytes] = []
        for line in reversed(file.read_bytes().splitlines(keepends=True)):
            tool, client, task = _owner(line)
            size, whose = len(line), (tool, client)
            tasks[tool, client, task] += size
            part = early if tasks[tool, client, task] <= TASK_BYTES else late
            if part[whose] >= size:
                part[whose] -= size
                kept.append(line)
        # Recorders may be writing to the newest.
        if file != files[-1] and not kept:
            file.unlink(missing_ok=True)
            continue
        if file != files[-1]:
            write_atomically(file, b"".join(reversed(kept)), private=True)
        left.append(file)
    return left[::-1]


def _shares(sizes: Mapping[tuple[str, str], int], most: int) -> Iterator[tuple[tuple[str, str], int]]:
    tools = Counter[str]()
    for (tool, _), size in sizes.items():
        tools[tool] += size
    for tool, share in _fair(tools, most).items():
        yield from _fair({whose: size for whose, size in sizes.items() if whose[0] == tool}, share).items()


def _fair(sizes: Mapping[K, int], most: int) -> dict[K, int]:
    """Share room: each gets what it needs, or as much as any other that needs more."""
    shares = {}
    for done, (key, size) in enumerate(sorted(sizes.items(), key=lambda one: one[1])):
        shares[key] = min(size, most // (len(sizes) - done))
        most -= shares[key]
    return shares


def _owner(line: bytes) -> tuple[str, str, str]:
    """Return the tool, the client and the task of a line; of one that cannot be read, nobody's."""
    try:
        call = json.loads(line)
        task = call.get("task")
        return (
            str(call["tool"]),
            str(call.get("client") or ""),
            str(call.get("session") if task is None else task),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return "", "", ""


def _tasks(contract: Contract) -> int:
    return max((clause.tasks for clause in contract.clauses), default=0)


def _places(contract: Contract | None) -> set[tuple[str, str]]:
    return set() if contract is None else {(clause.kind, clause.path) for clause in contract.clauses}
