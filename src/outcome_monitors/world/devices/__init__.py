"""Homes, their devices and sensors."""

from outcome_monitors.world._tool import tools
from outcome_monitors.world.devices import controls, readings
from outcome_monitors.world.devices.records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("devices", readings, controls)
