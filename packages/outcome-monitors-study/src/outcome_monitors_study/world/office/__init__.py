"""People, calendars, mail, to-dos."""

from outcome_monitors_study.world.tools import tools

from . import calendars, messages
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("office", calendars, messages)
