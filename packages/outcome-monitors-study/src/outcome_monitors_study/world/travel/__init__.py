"""Flights, hotels, weather."""

from outcome_monitors_study.world.tools import tools

from . import bookings, offers
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("travel", offers, bookings)
