"""How often the garbage collector looks while mining: it makes many small objects, keeps some, and makes no cycles."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["seldom_collected", "uncollected"]

SELDOM = (50_000, 50, 100)
"""How many objects, and how many looks at younger ones, it waits for: with Python's own numbers it takes a sixth of observing."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Have the collector look seldom, and still look: who hands over the calls may make cycles."""
    before = gc.get_threshold()
    # Who has it look even less often, or never, has a reason.
    gc.set_threshold(*map(max, before, SELDOM) if before[0] else before)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def uncollected() -> Iterator[None]:
    """Hold it off: to accept clauses takes a bounded time, of which it would have a sixth."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
