"""Searches for a pattern around the few places of a text where it can be, instead of at all of them."""

import re
from collections.abc import Callable, Sequence

__all__ = ["Search", "search_ends", "search_near"]

Search = Callable[[str, str], object]
"""Tells by a text and by the same in small letters, letter for letter, whether a pattern is in it, whose case does not matter."""

MOST_PLACES = 32
"""At more places than that a search of the whole text is no slower."""


def search_near(pattern: re.Pattern[str], hints: Sequence[str], before: int, after: int) -> Search:
    """Return the search for a pattern whose matches have a hint in them each, and reach no further beyond it than that.

    `after` counts one character more than a match has, which shows where a word ends.
    """
    search = pattern.search

    def found(text: str, small: str) -> object:
        for hint in hints:
            place, left = small.find(hint), MOST_PLACES
            while place >= 0:
                if left == 0:
                    return search(text)
                if search(text, max(0, place - before), place + len(hint) + after):
                    return True
                place, left = small.find(hint, place + 1), left - 1
        return False

    return found


def search_ends(pattern: re.Pattern[str], ends: tuple[str, ...]) -> Search:
    """Return the search for a pattern that only texts match which end so, but for space."""

    def found(text: str, small: str) -> object:
        return small.rstrip().endswith(ends) and pattern.search(text)

    return found
