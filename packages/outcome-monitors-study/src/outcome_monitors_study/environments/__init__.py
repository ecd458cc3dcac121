"""Where studies take place."""

import inspect
from collections.abc import Callable, Mapping

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json
from outcome_monitors_study._plugin_loading import plugin, plugin_errors

from .appworld import AppWorldEnvironment
from .environment import Environment
from .tau import TauRetailEnvironment
from .toolmaze import ToolMazeEnvironment
from .world import WorldEnvironment

__all__ = ["ENVIRONMENTS", "environment", "environment_class"]

ENVIRONMENTS: dict[str, Callable[..., Environment]] = {
    "appworld": AppWorldEnvironment,
    "tau-retail": TauRetailEnvironment,
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
    """Return what makes the environment of a name: one of ours, or the one at an import path."""
    if name in ENVIRONMENTS:
        return ENVIRONMENTS[name]
    if name is None or "." not in name:
        known = ", ".join(ENVIRONMENTS)
        raise OutcomeMonitorsError(
            f"there is no environment {name!r}: choose from {known}, or give the import path of a class"
        )
    found: Callable[..., Environment] = plugin(name)
    if not callable(found):
        raise OutcomeMonitorsError(f"environment {name!r} is {found!r}, and nothing that makes one")
    return found
