"""A shop."""

from outcome_monitors.world._tool import tools
from outcome_monitors.world.retail import catalogue, changes, lookups
from outcome_monitors.world.retail.records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("retail", lookups, catalogue, changes)
