"""What is told: of the clauses that a result breaks, which the agent may hear of, and why not now."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from outcome_monitors.model import Broken, Json, Untold

__all__ = ["NOBODY", "Found", "Occasion", "Policy", "Telling", "everything", "nothing"]


class Occasion(NamedTuple):
    """Whose result it is."""

    task: str
    """What it counts as a witness for."""
    when: str = ""
    """When it came, where that is known."""
    again: bool = False
    """It was seen before, and is asked about once more: it is no second witness."""


NOBODY = Occasion("")


class Found(NamedTuple):
    """A result that breaks at least one clause."""

    tool: str
    broken: Broken
    arguments: Mapping[str, Json]
    result: Json
    whose: Occasion = NOBODY


class Telling(NamedTuple):
    """What a policy decides."""

    proven: Broken
    """The broken clauses that the agent may be told of."""
    untold: Untold = ""
    """Why it is not told of them now; empty where it is."""
    suspended: tuple[str, ...] = ()
    """The addresses of those that it is not told of, since what breaks them has become usual."""
    odds: float | None = None
    """The odds that the result is wrong, where they were weighed."""
    since: str = ""
    """Of a tool that gives no answer: from when on."""


class Policy(Protocol):
    """Decides what is told; it hears of every result."""

    def __call__(self, found: Found, /) -> Telling:
        """Decide on a result that breaks something."""

    def kept(self, tool: str, /) -> None:
        """Hear of a result that breaks nothing."""

    def report(self) -> list[str]:
        """Return what people are to be told, each thing once."""

    def save(self) -> None:
        """Write what is to outlive the process."""


class _Always:
    """Decides always the same."""

    def __init__(self, untold: Untold) -> None:
        self._untold = untold

    def __call__(self, found: Found) -> Telling:
        return Telling(found.broken, self._untold)

    def kept(self, _tool: str) -> None:
        pass

    def report(self) -> list[str]:
        return []

    def save(self) -> None:
        pass


everything: Policy = _Always("")
"""Tells the agent all of it."""
nothing: Policy = _Always("nobody asked")
"""Looks, and tells nobody."""
