"""Flights, hotels, weather."""

from outcome_monitors.world._tool import tools
from outcome_monitors.world.travel import bookings, offers
from outcome_monitors.world.travel.records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("travel", offers, bookings)
