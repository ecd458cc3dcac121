"""Where studies take place."""

from collections.abc import Callable, Mapping

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from .appworld import AppWorldEnvironment
from .environment import (
    Ask,
    Cell,
    Contracted,
    Conversing,
    Environment,
    Episode,
    EpisodeVerdict,
    Levelled,
    Offering,
    Prompted,
    Served,
)
from .tau_retail import TauRetailEnvironment
from .toolmaze import ToolMazeEnvironment
from .world import WorldEnvironment

__all__ = [
    "ENVIRONMENTS",
    "Ask",
    "Cell",
    "Contracted",
    "Conversing",
    "Environment",
    "Episode",
    "EpisodeVerdict",
    "Levelled",
    "Offering",
    "Prompted",
    "Served",
    "environment",
]

ENVIRONMENTS: dict[str, Callable[..., Environment]] = {
    "appworld": AppWorldEnvironment,
    "tau-retail": TauRetailEnvironment,
    "toolmaze": ToolMazeEnvironment,
    "world": WorldEnvironment,
}


def environment(settings: Mapping[str, Json]) -> Environment:
    """Make an environment again from its settings."""
    given = dict(settings)
    name = given.pop("environment", None)
    if name not in ENVIRONMENTS:
        raise OutcomeMonitorsError(f"there is no environment {name!r}: choose from {', '.join(ENVIRONMENTS)}")
    return ENVIRONMENTS[name](**given)
