"""What a description says a tool does: the verb of its first sentence, and what that is done to."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from .lexicon import meaning, named, stem, thing, verb
from .vocabulary import hollow, tokens

__all__ = ["Phrase", "Sentence", "body", "lead", "read_phrase", "read_sentence"]

VIEW = "view"
"""The facet of words such as `details`: the thing itself, in one form or another."""
LONGEST_LEAD, LONGEST_BODY, MOST_SENTENCES = 200, 400, 4
_END = re.compile(r"(?<=[a-z)\"])[.!?](?:\s|$)|(?<=[^\x00-\x7f])[!?]|[。;\n]")
_REMARKS = re.compile(
    r"\b(?:Args|Arguments|Returns|Parameters|Examples?|Notes?|PREREQUISITE|IMPORTANT|Use this|适用场景)\b"
)
_PREAMBLE = re.compile(
    r"^(?:an?|the|this)?\s*[^.]{0,60}?\b(?:tool|function|api|server|endpoint|utility)s?\s+(?:that|to|for|which|used to)\s+"
    r"(?:allows? (?:you )?to |lets you )?",
    re.IGNORECASE,
)
_COLON = re.compile(r"(?<=\w\w\w):\s")
_AND = re.compile(r"[,、/]|\band\b|\bor\b|和|及|或")
_SERIES = re.compile(r"(?i)time[ -]series")
_PART = ","


class Phrase(NamedTuple):
    """A noun phrase, taken apart."""

    entity: str
    """What it is about."""
    facet: str
    """What of it: nothing, `view`, or one of its attributes."""
    modifiers: tuple[str, ...]


class Sentence(NamedTuple):
    """A sentence, taken apart."""

    verb: str
    things: tuple[tuple[str, ...], ...]
    """What the verb is done to, phrase by phrase."""
    rest: tuple[tuple[str, ...], ...]
    """The phrases behind: with what, for whom, from where."""


@lru_cache(maxsize=16384)
def lead(about: str) -> str:
    """Return the sentence that says what a tool does."""
    about = unicodedata.normalize("NFKC", about).strip()
    end = next((found.start() for found in _END.finditer(about) if found.start() > 8), LONGEST_LEAD)
    first = _PREAMBLE.sub("", about[:end])
    colon = _COLON.search(first)
    if colon is not None and len(tokens(first[: colon.start()])) >= 3:
        return first[: colon.start()]
    return first


def body(about: str) -> str:
    """Return the beginning of a description, up to its remarks on how to call the tool."""
    remark = _REMARKS.search(about)
    return (about[: remark.start()] if remark and remark.start() > 15 else about)[:LONGEST_BODY]


def read_phrase(words: Sequence[str], *, loose: bool = False) -> Phrase:
    """Take a noun phrase apart; in a loose one, words that nobody knows may stand behind the noun."""
    words = _without_key(words)
    facet = VIEW if any(word in named("views") for word in words) else ""
    solid = [word for word in words if not hollow(word) and word not in named("formats")]
    # In a name a weak noun stands for something where no other does: `drop_index` drops no database.
    solid = _up_to_thing(solid) if loose else solid or [word for word in words if word in named("weak")]
    if "page" in solid:
        # The url of a page is where it is read.
        solid = [word for word in solid if word != "url"]
    if len(solid) > 1:
        # A `price date range` is about prices.
        solid = [word for word in solid if word not in named("turns")] or solid[:1]
    if len(solid) > 1 and solid[-1] in named("aspects"):
        return Phrase(solid[-2], solid[-1], tuple(solid[:-2]))
    return Phrase(solid[-1], facet, tuple(solid[:-1])) if solid else Phrase("", facet, ())


def _up_to_thing(solid: list[str]) -> list[str]:
    """Leave out what stands behind the last known noun."""
    known = [place for place, word in enumerate(solid) if thing(word)]
    return solid[: known[-1] + 1] if known else solid


def _without_key(words: Sequence[str]) -> tuple[str, ...]:
    """Key facts are facts."""
    return tuple(word for word in words if word != "key") if words and words[-1] != "key" else tuple(words)


@lru_cache(maxsize=16384)
def read_sentence(text: str) -> Sentence:
    """Find the verb of a sentence, and the phrases behind it."""
    parts = _AND.split(_SERIES.sub("series", text))
    words = [word for part in parts for word in (*tokens(part), _PART)]
    place, found = _verb(words, text)
    while found and words[place : place + 1] == [_PART] and _another_verb(words[place + 1 : place + 2]):
        place += 2
    return Sentence(found, *_phrases(words[place:]))


def _verb(words: Sequence[str], text: str) -> tuple[int, str]:
    """Return where what is said of the verb begins, and the verb."""
    empty = named("hollow")
    start = next((place for place, word in enumerate(words[:6]) if word not in empty and word != _PART), 0)
    done = [verb(word) if stem(word) not in named("nouns_too") else "" for word in words]
    if done[start : start + 1] and done[start]:
        return start + 1, done[start]
    later = list(filter(None, done[start : start + 5]))
    if words and words[0] in empty and later:
        # "Performs a web search"
        return start, later[-1]
    if not text.isascii():
        return start, next(filter(None, done), "")
    return start, ""


def _another_verb(word: Sequence[str]) -> bool:
    return any(verb(one) or stem(one) in named("light") or one in named("light") for one in word)


def _phrases(words: Sequence[str]) -> tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]:
    things: list[tuple[str, ...]] = []
    rest: list[tuple[str, ...]] = []
    phrase: list[str] = []
    filled, breaks = things, named("breaks")
    for word in (*words, _PART):
        if word != _PART and word not in breaks:
            if word not in named("stop"):
                phrase.append(meaning(word))
            continue
        if phrase:
            filled.append(_without_key(phrase))
            phrase = []
        if word != _PART and any(thing(one) and not hollow(one) for found in things for one in found):
            filled = rest
    return tuple(things), tuple(rest)
