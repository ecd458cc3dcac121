"""What an adapter adds to a call whose result is clean."""

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from outcome_monitors import Monitor, mine
from outcome_monitors.adapters.functions import run, watched
from outcome_monitors.events import Watch, open_sink

from ._report import Table
from ._results import ORDER
from ._timing import ROUNDS, fastest, timer

__all__ = ["tables"]

SHORT = 20
A_ROUND = 0.001
"""Rounds are short and many: a busy machine leaves a thousandth of a second alone more often than a fiftieth."""


def tables(rounds: int = ROUNDS) -> Iterator[Table]:
    """Measure, and yield each table when it is done."""
    rows = []
    for profile in ("paper", "full"):
        monitor = Monitor(mine(ORDER.mined(), profile))
        with tempfile.TemporaryDirectory() as folder:
            for where, sink in (("nowhere", None), ("SQLite", open_sink(str(Path(folder) / "e.sqlite")))):
                rows += [(profile, where, *row) for row in _rows(Watch(monitor, sink), rounds)]
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
            "A result of 12 fields, in a run of its own. JSON text is parsed, which is part of what it takes.",
            "The check is that of a session by itself, of the object; an adapter is to add at most 1.5 times as much.",
        ),
    )


def _rows(watch: Watch, rounds: int) -> Iterator[tuple[str, ...]]:
    call = next(ORDER.fresh())
    judge = watch.monitor.session().judge
    check = fastest(
        {"check": timer(judge, ORDER.name, call.arguments, call.result)}, SHORT * rounds, A_ROUND
    )["check"]
    text = json.dumps(call.result)
    with run():
        for name, result in (("an object", call.result), ("JSON text", text)):
            alone = _giving(result)
            timers = {
                "alone": timer(alone, *call.arguments.values()),
                "watched": timer(watched(watch, name=ORDER.name)(alone), *call.arguments.values()),
            }
            taken = fastest(timers, SHORT * rounds, A_ROUND)
            yield _row(name, taken["alone"], taken["watched"], check)
        later = _giving_later(call.result)
        alone_for, watched_for = [
            min(
                asyncio.run(_awaited(function, tuple(call.arguments.values()))) for _ in range(SHORT * rounds)
            )
            for function in (later, watched(watch, name=ORDER.name)(later))
        ]
        yield _row("an object, awaited", alone_for, watched_for, check)


def _row(name: str, alone: float, with_watch: float, check: float) -> tuple[str, ...]:
    added = with_watch - alone
    return (
        name,
        *(f"{taken * 1e6:.1f}" for taken in (alone, with_watch, added, check)),
        f"{added / check:.1f}",
    )


def _giving(result: Any) -> Callable[..., Any]:
    def get_order(*_arguments: Any) -> Any:
        return result

    return get_order


def _giving_later(result: Any) -> Callable[..., Awaitable[Any]]:
    async def get_order(*_arguments: Any) -> Any:
        return result

    return get_order


async def _awaited(
    function: Callable[..., Awaitable[Any]], arguments: tuple[Any, ...], times: int = 100
) -> float:
    start = time.perf_counter()
    for _ in range(times):
        await function(*arguments)
    return (time.perf_counter() - start) / times
