"""How figures of a study are written."""

from collections.abc import Sequence

__all__ = ["Table", "money", "p_value", "points", "share"]

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""A heading, columns (numbers have a leading `>`), rows."""


def share(part: int, whole: int) -> str:
    """Write a part of a whole, as the paper does."""
    return f"{part}/{whole}"


def points(share: float) -> str:
    """Write a difference of shares in percentage points."""
    return f"{share * 100:+.2f}"


def money(cost: float | None) -> str:
    """Write a cost; one that is not known is not nothing."""
    return "unknown" if cost is None else f"{cost:.2f}"


def p_value(p: float) -> str:
    """Write a p without pretending that it is nothing."""
    return "<.00001" if p < 0.00001 else f"{p:.2g}" if p < 0.001 else f"{p:.3f}"
