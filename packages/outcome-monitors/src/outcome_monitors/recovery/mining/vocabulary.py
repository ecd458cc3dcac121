"""Words of tool definitions, made comparable: names and sentences in any script, taken apart."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from .lexicon import SCRIPTS, TIMES, meaning, named, verb

__all__ = ["hollow", "stems", "text_stems", "tokens"]

_WORD = re.compile(r"[A-Z]{2,}s(?![A-Za-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_a-zA-Z]+")
_LONGEST = max(map(len, SCRIPTS))
_EAST_ASIAN = "⺀"
"""From here on scripts put no spaces between words."""


@lru_cache(maxsize=65536)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a name or a sentence, in small letters; `getURLs` has two."""
    return tuple(_tokens(unicodedata.normalize("NFKC", text)))


def _tokens(text: str) -> Iterator[str]:
    for found in _WORD.findall(text):
        if found[0] >= _EAST_ASIAN:
            yield from _unspaced(found)
        else:
            yield found.lower()


def _unspaced(run: str) -> Iterator[str]:
    """Yield the known words of a run of characters in English, and pairs of characters of what is between them."""
    start = place = 0
    while place < len(run):
        known = next(
            (run[place:end] for end in range(place + _LONGEST, place + 1, -1) if run[place:end] in SCRIPTS),
            "",
        )
        if known:
            yield from _pairs(run[start:place])
            yield SCRIPTS[known]
            start = place + len(known)
        place = place + len(known) if known else place + 1
    yield from _pairs(run[start:])


def _pairs(run: str) -> Iterator[str]:
    return (run[place : place + 2] for place in range(len(run) - 1))


def hollow(word: str) -> bool:
    """Say whether a word tells nothing of what a tool is about, but only how much of it, or of when."""
    return word in _HOLLOW


_HOLLOW = named("generic") | named("views") | TIMES.keys()


@lru_cache(maxsize=65536)
def stems(name: str) -> tuple[str, ...]:
    """Return the words of an identifier, made comparable."""
    return tuple(map(meaning, tokens(name)))


@lru_cache(maxsize=16384)
def text_stems(text: str) -> tuple[str, ...]:
    """Return the words of a sentence that tell something, made comparable."""
    silent = named("stop") | named("joints")
    return tuple(meaning(word) for word in tokens(text) if word not in silent and not verb(word))
