"""Outcome Monitors: learn what tool results look like when they are right, and tell the agent when one is not."""

from . import exceptions
from ._mining import mine
from ._model import Call, Clause, Contract, Violation
from ._monitor import Monitor
from ._recovery import Relations
from ._registry import Registry
from ._traces import read_traces

__all__ = [
    "Call",
    "Clause",
    "Contract",
    "Monitor",
    "Registry",
    "Relations",
    "Violation",
    "exceptions",
    "mine",
    "read_traces",
]
