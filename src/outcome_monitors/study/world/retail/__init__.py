"""A shop."""

from . import catalogue, changes, lookups
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = (*lookups.TOOLS, *catalogue.TOOLS, *changes.TOOLS)
