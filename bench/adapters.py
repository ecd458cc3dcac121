"""What an adapter adds to a call whose result is clean."""

import asyncio
import inspect
import json
import math
import tempfile
import time
import timeit
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from outcome_monitors import Monitor, mine
from outcome_monitors.adapters.functions import run, watched
from outcome_monitors.events import Watch, open_sink
from outcome_monitors.events.sinks import Sink

from ._report import Table
from ._results import ORDER
from ._timing import ROUNDS, timer

__all__ = ["tables"]

MANY, CALLS = 20, 40
"""Rounds are short and many: a busy machine leaves a thousandth of a second alone more often than a fiftieth."""
WARM = 100
"""Calls after which relations have been made of those before."""


def tables(rounds: int = ROUNDS) -> Iterator[Table]:
    """Measure, and yield each table when it is done."""
    rows: list[tuple[str, ...]] = []
    for profile in ("paper", "full"):
        monitor = Monitor(mine(ORDER.mined(), profile))
        with tempfile.TemporaryDirectory() as folder:
            for where, sink in (("nowhere", None), ("SQLite", open_sink(str(Path(folder) / "e.sqlite")))):
                rows += [(profile, where, *row) for row in _rows(monitor, sink, rounds)]
                if sink is not None:
                    sink.close()
    yield Table(
        "What an adapter adds to a clean call",
        (
            "profile",
            "events",
            "the function gives",
            ">alone, us",
            ">watched, us",
            ">added, us",
            ">check, us",
            ">x check",
        ),
        tuple(rows),
        (
            "A result of 12 fields, in a run of its own. The check is that of a session by itself, of JSON text with its parse.",
            "Profile `full` learns relations from the calls; `paper` does not.",
        ),
    )


def _rows(monitor: Monitor, sink: Sink | None, rounds: int) -> Iterator[tuple[str, ...]]:
    call = next(ORDER.fresh())
    text, [asked] = json.dumps(call.result), call.arguments.values()
    known = {"judge": monitor.session().judge, "loads": json.loads, "call": call, "text": text}
    for name, alone, value in (
        ("an object", _giving(call.result), "call.result"),
        ("an object, awaited", _giving_later(call.result), "call.result"),
        ("JSON text", _giving(text), "loads(text)"),
    ):
        check = timeit.Timer(f"judge(call.tool, call.arguments, {value})", globals=known)
        best = [math.inf] * 3
        with run():
            watch = Watch(monitor, sink)
            function = watched(watch, name=ORDER.name)(alone)
            _taken(function, asked, WARM)
            if watch.relation_learner is not None and watch.relation_learner.thread is not None:
                watch.relation_learner.thread.join()
            for _ in range(MANY * rounds):
                taken = _taken(alone, asked), _taken(function, asked), check.timeit(CALLS) / CALLS
                best = list(map(min, best, taken))
        yield _row(name, *best)


def _taken(function: Callable[..., Any], asked: str, times: int = CALLS) -> float:
    if inspect.iscoroutinefunction(function):
        return asyncio.run(_awaited(function, asked, times))
    return timer(function, asked).timeit(times) / times


def _row(name: str, alone: float, with_watch: float, check: float) -> tuple[str, ...]:
    added = with_watch - alone
    return (
        name,
        *(f"{taken * 1e6:.1f}" for taken in (alone, with_watch, added, check)),
        f"{added / check:.1f}",
    )


def _giving(result: Any) -> Callable[[str], Any]:
    def get_order(order_id: str) -> Any:  # noqa: ARG001 - what it is asked goes to the monitor
        return result

    return get_order


def _giving_later(result: Any) -> Callable[[str], Awaitable[Any]]:
    async def get_order(order_id: str) -> Any:  # noqa: ARG001 - as above
        return result

    return get_order


async def _awaited(function: Callable[[str], Awaitable[Any]], asked: str, times: int) -> float:
    start = time.perf_counter()
    for _ in range(times):
        await function(asked)
    return (time.perf_counter() - start) / times
