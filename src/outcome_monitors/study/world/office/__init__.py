"""People, calendars, mail, to-dos."""

from . import calendars, messages
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = (*calendars.TOOLS, *messages.TOOLS)
