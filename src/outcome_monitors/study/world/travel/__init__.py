"""Flights, hotels, weather."""

from . import bookings, offers
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = (*offers.TOOLS, *bookings.TOOLS)
