"""People, calendars, mail, to-dos."""

from outcome_monitors.world.office import calendars, messages
from outcome_monitors.world.office.records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = (*calendars.TOOLS, *messages.TOOLS)
