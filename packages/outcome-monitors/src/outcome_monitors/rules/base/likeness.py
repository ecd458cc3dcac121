"""Which of some texts is most like another: they share most pairs of neighbouring characters (Dice's coefficient).

Its cost is linear in the texts, where that of an edit distance is the product of their lengths: one of the texts comes from
outside.
"""

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice, pairwise

__all__ = ["most_alike"]

LEAST = 0.4
"""Texts that share less are not alike: the closest of them tells nothing."""
MOST_COMPARED = 1000
LONGEST = 80
"""Characters of a text that are looked at."""


def most_alike(text: str, among: Iterable[str]) -> str | None:
    """Return the text that is most like another, the first where several are; None where none is like it."""
    pairs = _pairs(text)
    best, likeness = None, LEAST
    for other in islice(among, MOST_COMPARED):
        theirs = _listed_pairs(other)
        if pairs.isdisjoint(theirs):
            continue
        share = 2 * len(pairs & theirs) / (len(pairs) + len(theirs))
        if share > likeness:
            best, likeness = other, share
    return best


@lru_cache(maxsize=256)
def _listed_pairs(text: str) -> set[tuple[str, str]]:
    """Return them of a text that a clause lists, with which it is compared each time that the clause is broken."""
    return _pairs(text)


def _pairs(text: str) -> set[tuple[str, str]]:
    """Return the pairs of neighbours, both ends among them: short texts have little else."""
    return set(pairwise(("", *text[:LONGEST], "")))
