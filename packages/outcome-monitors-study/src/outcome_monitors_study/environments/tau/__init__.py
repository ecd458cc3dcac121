"""tau-bench's retail domain."""

from .environment import TauRetailEnvironment

__all__ = ["TauRetailEnvironment"]
