"""Homes, their devices and sensors."""

from outcome_monitors_study.world.tools import tools

from . import controls, readings
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("devices", readings, controls)
