"""The keeping of state, in a folder or in a fleet's PostgreSQL: moved, bounded, exported, and rid of what is one person's.

`home` makes both look the same: tables, documents, recorded lines. What else stands here is written once, for both.
"""

from .home import StateHome, state_at

__all__ = ["StateHome", "state_at"]
