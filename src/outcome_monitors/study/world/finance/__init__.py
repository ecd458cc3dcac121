"""Bank accounts, exchange rates, shares."""

from . import accounts, markets
from .records import tables

__all__ = ["TOOLS", "tables"]

TOOLS = (*accounts.TOOLS, *markets.TOOLS)
