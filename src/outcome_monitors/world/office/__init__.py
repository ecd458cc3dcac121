"""People, calendars, mail, to-dos."""

from outcome_monitors.world._tool import tools
from outcome_monitors.world.office import calendars, messages
from outcome_monitors.world.office.records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("office", calendars, messages)
