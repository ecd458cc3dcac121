"""What an environment, an arm or a judge of one's own is written with.

An entry point in the group `outcome_monitors.environments`, `outcome_monitors.arms` or `outcome_monitors.judges` makes it
known by its name.
"""

from .arms import Arm, Bench, Delivery, Detecting
from .environments.environment import Cell, Environment, Episode, EpisodeVerdict, Judge, Scripted, Served
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
    "Judge",
    "Run",
    "Scripted",
    "Served",
]
