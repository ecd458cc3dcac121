"""Contracts of objects rather than of tools: for results of tools that mining never saw.

A user is a user in whatever tool's answer it stands. A shape is a set of fields that recurs in several tools, with the clauses that
all its places support; the shape without fields speaks of every object, and of results as a whole.
"""

from dataclasses import dataclass

from outcome_monitors.model import Clause

__all__ = ["ALIKE", "Shape"]

ALIKE = 0.7
"""An object is of a shape when this share of all their fields is common to both."""


@dataclass(frozen=True)
class Shape:
    """What is known of objects with certain fields, in whatever tool; without fields, of anything."""

    fields: tuple[str, ...]
    tools: int
    """How many tools have such objects."""
    clauses: tuple[Clause, ...]
    """Their paths begin at the object."""
