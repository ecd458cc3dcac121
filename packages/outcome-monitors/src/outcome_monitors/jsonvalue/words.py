"""The words of a name, however it is written."""

import re
from functools import lru_cache

__all__ = ["last_word", "words"]

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=16384)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a name in snake_case, kebab-case or camelCase, in small letters."""
    return tuple(word.lower() for word in _WORD.findall(name))


def last_word(name: str) -> str:
    """Return the last word of a name."""
    found = words(name)
    return found[-1] if found else ""
