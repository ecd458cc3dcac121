"""What words of tool definitions mean, and names and sentences in any script made comparable.

`lexicon.json` is general English and the vocabulary of public APIs, the same for every tool set: verbs, things, attributes. Whatever
else two tools have in common must come from their definitions or from traces.
"""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

__all__ = [
    "NOUNS",
    "ROLES",
    "SCRIPTS",
    "TIMES",
    "contrasting",
    "hollow",
    "kin",
    "meaning",
    "named",
    "stem",
    "stems",
    "thing",
    "tokens",
    "verb",
]

_TABLE: Any = json.loads(Path(__file__).with_name("lexicon.json").read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def named(section: str) -> frozenset[str]:
    """Return the words of one list of the table."""
    return frozenset(_TABLE[section].split())


def _by_word(groups: dict[str, str]) -> dict[str, str]:
    return {word: group for group, words in groups.items() for word in words.split()}


_VERBS = _by_word(_TABLE["verbs"])
TIMES = _by_word(_TABLE["times"])
"""Words that say of when a result is: `now`, `past` or `future`."""
ROLES = {role: frozenset(words.split()) for role, words in _TABLE["roles"].items()}
"""What an argument is for, by the words of its name."""
SCRIPTS: dict[str, str] = _TABLE["scripts"]
"""Words that are written without spaces between them, in English."""
NOUNS: dict[str, str] = {word: line.split()[0] for line in reversed(_TABLE["nouns"]) for word in line.split()}
"""Each thing by all its names."""
_KIN = {frozenset(pair.split()): near for pair, near in _TABLE["kin"].items()}
_CONTRASTS: dict[str, set[str]] = {}
"""For each word those that make something another of its kind, or its reverse."""
for _others in (
    *map(str.split, _TABLE["contrasts"]),
    *(pair.split("/") for pair in _TABLE["opposites"].split()),
):
    for _word in _others:
        _CONTRASTS.setdefault(_word, set()).update(set(_others) - {_word})
_UNBENDING = named("unbending")
_NO_PLURAL = ("ss", "us", "is", "os")
_THINGS = frozenset((*NOUNS, *(NOUNS.get(word, word) for word in named("things")))) | named("aspects")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return a noun in the singular."""
    if word in _UNBENDING:
        return word
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(_NO_PLURAL) else word


@lru_cache(maxsize=65536)
def meaning(word: str) -> str:
    """Return the word that stands for all words of this meaning."""
    # `ids` and `movies` have a singular that no rule gives.
    known = (form for form in (word, stem(word), word.removesuffix("s")) if form in NOUNS)
    return NOUNS.get(next(known, ""), stem(word))


def thing(word: str) -> bool:
    """Say whether the table knows what a word is the name of."""
    return word in _THINGS


@lru_cache(maxsize=65536)
def verb(word: str) -> str:
    """Return what a verb does, in whatever form it stands; nothing where it is no known verb."""
    forms = [word, stem(word)]
    if len(word) > 5 and word.endswith("ing"):
        forms += [word[:-3], word[:-3] + "e"]
    elif word.endswith("es"):
        forms.append(word[:-2])
    return next((_VERBS[form] for form in forms if form in _VERBS), "")


def kin(one: str, other: str) -> float:
    """Say how far two verbs do the same, from 0 to 1."""
    return 1.0 if one == other else _KIN.get(frozenset((one, other)), 0.0)


def contrasting(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether words that only one side has make it the reverse of the other, or another of a kind."""
    turning = named("reversing")
    if one.isdisjoint(turning) is not other.isdisjoint(turning):
        return True
    theirs = other - one
    return any(not theirs.isdisjoint(_CONTRASTS[word]) for word in one - other if word in _CONTRASTS)


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
