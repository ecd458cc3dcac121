"""A shop."""

from outcome_monitors_study.world.tools import tools

from . import catalogue, changes, lookups
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = tools("retail", lookups, catalogue, changes)
