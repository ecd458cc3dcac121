"""What is read off a text: the words of a name, a hash that is the same on every machine, and the JSON that stands in it.

Whether a text is looked into is decided by the text alone: it begins as an object or a list does, and can be read as one. What was
read is kept for a while, so that the many clauses that speak of one text read it once.
"""

import json
import re
from functools import lru_cache
from typing import Any

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=16384)
def words(name: str) -> tuple[str, ...]:
    """Return the words of a name in snake_case, kebab-case or camelCase, in small letters."""
    return tuple(word.lower() for word in _WORD.findall(name))


def last_word(name: str) -> str:
    """Return the last word of a name."""
    found = words(name)
    return found[-1] if found else ""


try:
    # What hashlib has it from: hashlib itself loads all of OpenSSL, which takes longer than to start with anything else.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def stable_hash(text: str) -> int:
    """Return the same 64-bit number for the same text on every machine, in every run."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


LONGEST = 2**20
"""Characters of a text that is looked into; a longer one is a text and no more."""
MOST_NESTED = 2
"""A text in a result is looked into, and so is a text in that one, and no further."""

BEGINS = frozenset("{[ \t\n\r")
"""The characters that a text of interest may begin with: most texts are told by the first one."""

SHORT = 2048
_BEGINNING = re.compile(r"[ \t\n\r]*+[{\[]")
_decode = json.JSONDecoder().decode

Found = dict[str, Any] | list[Any]


def json_in(value: Any) -> Found | None:
    """Return the object or list that stands in a text; None of any other value. It must not be changed."""
    if type(value) is not str or value[:1] not in BEGINS or len(value) > LONGEST:
        return None
    try:
        return _short(value) if len(value) <= SHORT else _long(value)
    except RecursionError:
        # Nesting deeper than what the host has left of the stack: no fact of the text, so it is not kept.
        return None


def begins_as_json(text: str) -> bool:
    """Say whether a text begins as an object or a list does."""
    return text[:1] in BEGINS and _BEGINNING.match(text) is not None


def _read(text: str) -> Found | None:
    if not begins_as_json(text):
        return None
    try:
        found: Found = _decode(text)
    except ValueError:
        # Also where a number has more digits than can be read.
        return None
    return found


_short = lru_cache(maxsize=1024)(_read)
_long = lru_cache(maxsize=8)(_read)
