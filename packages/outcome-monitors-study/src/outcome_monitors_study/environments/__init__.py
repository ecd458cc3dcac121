"""Where studies take place."""

from collections.abc import Callable, Mapping

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors_study._entry_points import blamed, plugin, plugin_names

from .appworld import AppWorldEnvironment
from .environment import (
    Ask,
    Cell,
    Contracted,
    Conversing,
    Environment,
    Episode,
    EpisodeVerdict,
    Guarded,
    Judge,
    Levelled,
    Offering,
    Prompted,
    ProxyReceipt,
    Scripted,
    Served,
)
from .mcp import McpEnvironment
from .tau import Tau2AirlineEnvironment, Tau2RetailEnvironment, TauRetailEnvironment
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
    "Guarded",
    "Judge",
    "Levelled",
    "Offering",
    "Prompted",
    "ProxyReceipt",
    "Scripted",
    "Served",
    "environment",
    "environment_class",
]

ENVIRONMENTS: dict[str, Callable[..., Environment]] = {
    "appworld": AppWorldEnvironment,
    "mcp": McpEnvironment,
    "tau-retail": TauRetailEnvironment,
    "tau2-airline": Tau2AirlineEnvironment,
    "tau2-retail": Tau2RetailEnvironment,
    "toolmaze": ToolMazeEnvironment,
    "world": WorldEnvironment,
}


WRITTEN = ("cells", "open", "specs", "clean_calls")
"""What every environment has to write itself."""


def environment(settings: Mapping[str, Json]) -> Environment:
    """Make an environment again from its settings."""
    given = dict(settings)
    made = environment_class(given.pop("environment", None))
    with blamed(made):
        place = made(**given)
    missing = _missing(place)
    if missing:
        raise OutcomeMonitorsError(
            f"environment {settings['environment']!r} has no {', '.join(missing)}; derive it from Environment"
        )
    return place


def _missing(place: Environment) -> list[str]:
    """Return what is not there, or only as it is declared."""
    inherited = [name for name in WRITTEN if getattr(type(place), name, None) is getattr(Environment, name)]
    return inherited + [
        name for name in vars(Environment) if not name.startswith("_") and not hasattr(place, name)
    ]


def environment_class(name: str | None) -> Callable[..., Environment]:
    """Return what makes the environment of a name: one of ours, or one that another distribution offers."""
    if name in ENVIRONMENTS:
        return ENVIRONMENTS[name]
    if name is None or name not in plugin_names("environment"):
        known = dict.fromkeys((*ENVIRONMENTS, *plugin_names("environment")))
        raise OutcomeMonitorsError(f"there is no environment {name!r}: choose from {', '.join(known)}")
    found: Callable[..., Environment] = plugin("environment", name)
    if not callable(found):
        raise OutcomeMonitorsError(f"environment {name!r} is {found!r}, and nothing that makes one")
    return found
