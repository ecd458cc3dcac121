"""Completion as ToolMaze has it: one valid path, each of its tools answered truly."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from outcome_monitors.model import Json

__all__ = ["Answered", "recovery", "walked"]


class Answered(NamedTuple):
    """A call, and whether its answer was the true one and no open error."""

    tool: str
    truly: bool
    injected: bool


def walked(paths: Iterable[Iterable[str]], calls: Sequence[Answered]) -> bool:
    """Say whether the tools of a valid path were answered truly in its order, whatever came between."""
    return any(_walked(path, calls) for path in paths)


def recovery(
    paths: Sequence[Sequence[str]], calls: Sequence[Answered], *, completed: bool
) -> dict[str, Json]:
    """Return whether a fault was met, and what recovery cost.

    The cost is ToolMaze's RC: 0 where no fault was met, 1 where one was and the task not completed, else how many of the
    calls from the first fault on were more than the shortest path had left.
    """
    first = next((index for index, call in enumerate(calls) if call.injected), None)
    if first is None:
        return {"hit": False, "recovery_cost": 0.0}
    left = max(1, min(map(len, paths)) - first)
    cost = 1 - left / max(len(calls) - first, left) if completed else 1.0
    return {"hit": True, "recovery_cost": round(cost, 6)}


def _walked(path: Iterable[str], calls: Sequence[Answered]) -> bool:
    answered = iter([call.tool for call in calls if call.truly])
    return all(any(tool == other for other in answered) for tool in path)
