"""Outcome Monitors: learn what tool results look like when they are right, and tell the agent when one is not."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from outcome_monitors.values.late_imports import imported_late

from . import exceptions

if TYPE_CHECKING:
    __version__: str
    """The version of the package that is installed."""

    from .checking.monitor import Counts, Monitor
    from .checking.session import Session
    from .contracts.registry import Registry
    from .events import Payloads, Watch
    from .mining.observations import mine
    from .model import Call, Clause, Contract, Outcome, Violation
    from .recovery.relations import Relations
    from .rules import explain
    from .traces.reader import read_traces
    from .values.canonical import canonical

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

# Each is imported when it is asked for: a monitor in someone else's agent does not mine, and a command does one thing.
_LATER = {
    "Call": ".model",
    "Clause": ".model",
    "Contract": ".model",
    "Counts": ".checking.monitor",
    "Monitor": ".checking.monitor",
    "Outcome": ".model",
    "Payloads": ".events",
    "Registry": ".contracts.registry",
    "Relations": ".recovery.relations",
    "Session": ".checking.session",
    "Violation": ".model",
    "Watch": ".events",
    "canonical": ".values.canonical",
    "explain": ".rules",
    "mine": ".mining.observations",
    "read_traces": ".traces.reader",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        # The distribution says it; to ask is slow, and hardly anybody does.
        globals()[name] = import_module("importlib.metadata").version("outcome-monitors")
        return globals()[name]
    return imported_late(__name__, _LATER, name)


def __dir__() -> list[str]:
    return __all__
