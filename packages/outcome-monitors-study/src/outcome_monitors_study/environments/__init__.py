"""Where studies take place."""

import inspect
from collections.abc import Callable, Mapping

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors_study._entry_points import plugin, plugin_errors, plugin_names

from .appworld import AppWorldEnvironment
from .environment import Environment
from .mcp import McpEnvironment
from .tau import Tau2AirlineEnvironment, Tau2RetailEnvironment, TauRetailEnvironment
from .toolmaze import ToolMazeEnvironment
from .world import WorldEnvironment

__all__ = ["ENVIRONMENTS", "environment", "environment_class"]

ENVIRONMENTS: dict[str, Callable[..., Environment]] = {
    "appworld": AppWorldEnvironment,
    "mcp": McpEnvironment,
    "tau-retail": TauRetailEnvironment,
    "tau2-airline": Tau2AirlineEnvironment,
    "tau2-retail": Tau2RetailEnvironment,
    "toolmaze": ToolMazeEnvironment,
    "world": WorldEnvironment,
}


def environment(settings: Mapping[str, Json]) -> Environment:
    """Make an environment again from its settings."""
    given = dict(settings)
    made = environment_class(given.pop("environment", None))
    missing = ", ".join(sorted(getattr(made, "__abstractmethods__", ())))
    with plugin_errors(made):
        place = None if missing else made(**given)
        if isinstance(place, Environment):
            takes = inspect.signature(made).parameters.values()
            defaults = {each.name: each.default for each in takes if each.default is not each.empty}
            lists = {
                name: list(value) if isinstance(value, tuple) else value for name, value in defaults.items()
            }
            place.settings = {**lists, **settings}
            return place
    why = f"has no {missing}" if missing else "is none"
    raise OutcomeMonitorsError(f"environment {settings['environment']!r} {why}; derive it from Environment")


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
