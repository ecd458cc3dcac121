"""Outcome Monitors: learn what tool results look like when they are right, and tell the agent when one is not."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import exceptions
from .checking.monitor import Counts, Monitor
from .checking.session import Session
from .contracts.registry import Registry
from .jsonvalue.canonical import canonical
from .model import Call, Clause, Contract, Outcome, Violation
from .recovery.relations import Relations
from .rules import explain

if TYPE_CHECKING:
    __version__: str
    """The version of the package that is installed."""

    from .events import Payloads, Watch
    from .mining.observations import mine
    from .traces.reader import read_traces

__all__ = [
    "Call",
    "Clause",
    "Contract",
    "Counts",
    "Monitor",
    "Outcome",
    "Payloads",
    "Registry",
    "Relations",
    "Session",
    "Violation",
    "Watch",
    "__version__",
    "canonical",
    "exceptions",
    "explain",
    "mine",
    "read_traces",
]

_LATER = {
    "Payloads": ".events",
    "Watch": ".events",
    "mine": ".mining.observations",
    "read_traces": ".traces.reader",
}
"""Imported when it is asked for: a monitor in someone else's agent neither mines nor keeps events."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        # The distribution says it; to ask is slow, and hardly anybody does.
        found = import_module("importlib.metadata").version("outcome-monitors")
    elif name in _LATER:
        found = getattr(import_module(_LATER[name], __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
