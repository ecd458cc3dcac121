"""What is told: of the clauses that a result breaks, which the agent may hear of, and why not now."""

from collections.abc import Callable
from typing import NamedTuple

from outcome_monitors.model import Broken, Untold

__all__ = ["Policy", "Telling", "everything", "nothing"]


class Telling(NamedTuple):
    """What a policy decides."""

    proven: Broken
    """The broken clauses that the agent may be told of."""
    untold: Untold = ""
    """Why it is not told of them now; empty where it is."""


Policy = Callable[[str, Broken], Telling]
"""Decides on what a result of a tool breaks, at least one clause."""


def everything(_tool: str, broken: Broken) -> Telling:
    """Tell the agent all of it."""
    return Telling(broken)


def nothing(_tool: str, broken: Broken) -> Telling:
    """Look, and tell nobody."""
    return Telling(broken, "nobody asked")
