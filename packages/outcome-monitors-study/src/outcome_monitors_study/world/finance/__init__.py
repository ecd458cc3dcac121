"""Bank accounts, exchange rates, shares."""

from outcome_monitors_study.world.tools import tools

from . import accounts, markets
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("finance", accounts, markets)
