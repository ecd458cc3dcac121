"""Bank accounts, exchange rates, shares."""

from outcome_monitors.world._tool import tools
from outcome_monitors.world.finance import accounts, markets
from outcome_monitors.world.finance.records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("finance", accounts, markets)
