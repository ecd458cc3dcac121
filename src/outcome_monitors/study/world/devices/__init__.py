"""Homes, their devices and sensors."""

from . import controls, readings
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = (*readings.TOOLS, *controls.TOOLS)
