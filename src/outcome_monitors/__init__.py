"""Outcome Monitors: learn what tool results look like when they are right, and tell the agent when one is not."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import exceptions

if TYPE_CHECKING:
    from ._mining import mine
    from ._model import Call, Clause, Contract, Violation
    from ._monitor import Monitor
    from ._recovery import Relations
    from ._registry import Registry
    from ._traces import read_traces
    from .events import Payloads, Watch
    from .rules import explain

__all__ = [
    "Call",
    "Clause",
    "Contract",
    "Monitor",
    "Payloads",
    "Registry",
    "Relations",
    "Violation",
    "Watch",
    "exceptions",
    "explain",
    "mine",
    "read_traces",
]

# Each is imported when it is asked for: a monitor in someone else's agent does not mine, and a command does one thing.
_LATER = {
    "Call": "._model",
    "Clause": "._model",
    "Contract": "._model",
    "Monitor": "._monitor",
    "Payloads": ".events",
    "Registry": "._registry",
    "Relations": "._recovery",
    "Violation": "._model",
    "Watch": ".events",
    "explain": ".rules",
    "mine": "._mining",
    "read_traces": "._traces",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = getattr(import_module(_LATER[name], __name__), name)
    return globals()[name]


def __dir__() -> list[str]:
    return __all__
