"""AppWorld."""

from .environment import AppWorldEnvironment, AppWorldEpisode

__all__ = ["AppWorldEnvironment", "AppWorldEpisode"]
