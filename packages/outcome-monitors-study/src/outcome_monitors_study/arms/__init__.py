"""The arms of a study, each a small class; a new one is a class and a row here, or a plugin."""

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors_study._entry_points import plugin, plugin_names

from ._arm import Arm, Bench, Delivery, Detecting
from .arms import ARMS

__all__ = ["ARMS", "Arm", "Bench", "Delivery", "Detecting", "arm_class", "arm_summaries"]


def arm_class(name: str) -> type[Arm]:
    """Return the arm of a name: one of ours, or one that another distribution offers."""
    if name in ARMS:
        return ARMS[name]
    if name not in plugin_names("arm"):
        raise OutcomeMonitorsError(f"there is no arm {name!r}: choose from {', '.join(_names())}")
    found = plugin("arm", name)
    if not (isinstance(found, type) and issubclass(found, Arm)):
        raise OutcomeMonitorsError(f"arm {name!r} is {found!r}, and no class that is derived from Arm")
    return found


def arm_summaries() -> list[tuple[str, str]]:
    """Return all arms by name, and what each says of itself; of one that cannot be loaded, why."""
    return [(name, _summary(name)) for name in _names()]


def _names() -> list[str]:
    return [*ARMS, *(name for name in plugin_names("arm") if name not in ARMS)]


def _summary(name: str) -> str:
    try:
        return arm_class(name).summary
    except OutcomeMonitorsError as error:
        return str(error)
