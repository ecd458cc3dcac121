"""What an environment or an arm of one's own is written with. A study names it by its import path: `shop.Shop`."""

from .arms import Arm, Bench, Delivery, Detecting
from .environments.environment import Cell, Environment, Episode, EpisodeVerdict, Scripted, Served
from .world.agents import Run

__all__ = [
    "Arm",
    "Bench",
    "Cell",
    "Delivery",
    "Detecting",
    "Environment",
    "Episode",
    "EpisodeVerdict",
    "Run",
    "Scripted",
    "Served",
]
