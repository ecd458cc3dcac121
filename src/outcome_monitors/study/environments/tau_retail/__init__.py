"""tau-bench's retail domain."""

from .environment import TauRetailEnvironment, TauRetailEpisode

__all__ = ["TauRetailEnvironment", "TauRetailEpisode"]
