"""Timing that can be compared: statements without wrappers, taken in turn, the fastest round of each."""

import time
import timeit
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

__all__ = ["ROUNDS", "fastest", "in_turn", "once", "timer"]

ROUNDS = 9
A_ROUND = 0.02
"""Seconds that one statement is repeated for."""

T = TypeVar("T")


def timer(function: Callable[..., Any], *arguments: Any) -> timeit.Timer:
    """Return a timer of one call; the call is the statement itself, since a lambda around it would be timed too.

    It counts the processor's time: what other processes take of a busy machine is not ours.
    """
    names = {f"argument{index}": value for index, value in enumerate(arguments)}
    return timeit.Timer(
        f"function({', '.join(names)})", timer=time.process_time, globals={"function": function, **names}
    )


def fastest(
    timers: Mapping[str, timeit.Timer], rounds: int = ROUNDS, seconds: float = A_ROUND
) -> dict[str, float]:
    """Return the seconds that each statement takes: the least of several rounds, since noise only ever adds.

    The statements take turns, so that a slow spell of the machine strikes all alike.
    """
    best = {name: statement.timeit(1) for name, statement in timers.items()}
    for _ in range(rounds):
        for name, statement in timers.items():
            number = max(1, round(seconds / best[name]))
            best[name] = min(best[name], statement.timeit(number) / number)
    return best


def once(work: Callable[[], T]) -> tuple[float, T]:
    """Do long work once; return the seconds it took, and what it gave."""
    start = time.perf_counter()
    done = work()
    return time.perf_counter() - start, done


def in_turn(works: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Do long work in rounds, each in turn; return the seconds of the fastest round of each."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(rounds):
        for name, work in works.items():
            best[name] = min(best[name], once(work)[0])
    return best
