"""Texts that are written as somebody pleases: file bodies, notes, messages, web pages, and the names that people give.

What clean ones look like says little of the next one: it has another form, is longer. Open content is
told by its name or by its looks, and is none where many tasks have shown few forms.
"""

import re
from collections.abc import Iterable
from enum import Enum, auto
from functools import lru_cache

from outcome_monitors.evidence.evidence import Place
from outcome_monitors.values.paths import parse
from outcome_monitors.values.words import words

__all__ = ["FORMED_FROM", "TEXTS_A_FORM", "Looks", "looks", "may_be_left_empty"]

FORMED_FROM = 20
"""Tasks that it takes to show that texts have few forms."""
TEXTS_A_FORM = 20
"""Of texts of several words, so many stand behind each form."""
LONGEST_PHRASE = 160
MOST_WORDS = 6
"""A longer text is a sentence at least."""
LEAST_SHARE = 0.2
"""The share of texts that are prose, or of several words, for all of them to be taken so."""

_OPEN = frozenset(
    """
    abstract answer article bio blog body caption comment comments content contents description detail details diff excerpt html
    instructions markdown message messages note notes output page paragraph patch prompt readme remark remarks review snippet
    stderr stdout subject summary text title transcript
    """.split()  # noqa: SIM905 - words read better as words
)
"""Last words of the names of open content."""
_REMARKS = frozenset(
    """
    bio blog caption comment comments description detail details diff excerpt instructions note notes output patch remark
    remarks review snippet stderr stdout summary
    """.split()  # noqa: SIM905 - as above
)
"""Words of the names of what is often left empty."""
_WORDS = re.compile(r"[^\W_]+")
_TWO_WORDS = re.compile(r"[^\W\d_]\s+[^\W\d_]")


class Looks(Enum):
    """How far the looks of texts can be learned."""

    FORMED = auto()
    """They are written to a form: ids, codes, sentences of one sort."""
    PHRASES = auto()
    """They are of several words, and short: names that people give."""
    OPEN = auto()
    """They are written as somebody pleases."""


def looks(path: str, place: Place, tasks: int) -> Looks:
    """Say how far the looks of the texts at a path can be learned."""
    texts = [text for text, _ in place.texts.items()]
    of_words = _share(map(_has_words, texts), texts)
    if not of_words and not _share(map(_is_prose, texts), texts):
        return Looks.FORMED
    few = TEXTS_A_FORM * len({*map(_form, texts)}) <= min(tasks, len(texts))
    if few and tasks >= FORMED_FROM:
        return Looks.FORMED
    is_open = (_named(path) or ("",))[-1] in _OPEN or _share(map(_is_prose, texts), texts)
    return Looks.OPEN if is_open else Looks.PHRASES


def _share(found: Iterable[bool], texts: list[str]) -> bool:
    return sum(found) >= max(LEAST_SHARE * len(texts), 1)


def may_be_left_empty(path: str) -> bool:
    """Say whether a name tells of a remark, which there may be none of."""
    return not _REMARKS.isdisjoint(_named(path))


@lru_cache(maxsize=16384)
def _named(path: str) -> tuple[str, ...]:
    """Return the words of the last name in a path."""
    names = [step for step in parse(path) if isinstance(step, str)]
    return words(names[-1]) if names else ()


# Mining reads the same text in the evidence of a tool, of its family, and of every part that is not left out.
@lru_cache(maxsize=65536)
def _is_prose(text: str) -> bool:
    return len(text) > LONGEST_PHRASE or "\n" in text or text.count(" ") >= MOST_WORDS


@lru_cache(maxsize=65536)
def _has_words(text: str) -> bool:
    return _TWO_WORDS.search(text) is not None


@lru_cache(maxsize=65536)
def _form(text: str) -> str:
    """Return a text with all words and numbers alike."""
    return _WORDS.sub("x", text)
