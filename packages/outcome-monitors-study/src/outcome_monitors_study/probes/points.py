"""The moments at which a model is asked: an episode as far as the first wrong result."""

from collections.abc import Mapping
from typing import NamedTuple

from outcome_monitors.model import Json
from outcome_monitors.recovery.relations import Relations
from outcome_monitors_study.environments import Cell, Environment
from outcome_monitors_study.scripted import PREFIX, scripted_agent

__all__ = ["Exchange", "ProbePoint", "cut"]

SCRIPT = f"{PREFIX}naive"
"""Plays an episode up to the moment: it takes results at face value, and there is nothing wrong with those before."""


class Exchange(NamedTuple):
    """A call and its result."""

    tool: str
    arguments: Mapping[str, Json]
    result: Json


class ProbePoint(NamedTuple):
    """A call whose result is wrong, and all that went before."""

    cell: Cell
    query: str
    tools: tuple[str, ...]
    before: tuple[Exchange, ...]
    tool: str
    arguments: Mapping[str, Json]
    true: Json
    """What the tool would have answered."""
    wrong: Json
    fault: str
    """What kind of fault it is, where it has a name."""


class _ReachedError(Exception):
    """Ends the script: the point is reached."""

    def __init__(self, point: ProbePoint) -> None:
        super().__init__(point.cell.id)
        self.point = point


def cut(place: Environment, cell: Cell, relations: Relations) -> ProbePoint | None:
    """Play a cell up to its first wrong result; None where the script meets none."""
    episode = place.open(cell)
    before: list[Exchange] = []

    def called(tool: str, arguments: Mapping[str, Json]) -> Json:
        served = episode.call(tool, arguments)
        if served.injected:
            so_far, asked = tuple(before), dict(arguments)
            raise _ReachedError(
                ProbePoint(
                    cell,
                    episode.query,
                    episode.tools,
                    so_far,
                    tool,
                    asked,
                    served.raw,
                    served.seen,
                    served.fault,
                )
            )
        before.append(Exchange(tool, dict(arguments), served.seen))
        return served.seen

    try:
        scripted_agent(SCRIPT, relations, 0)(episode, called)
    except _ReachedError as reached:
        return reached.point
    return None
