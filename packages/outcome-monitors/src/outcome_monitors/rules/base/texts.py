"""What kinds have in common that speak of texts: how they look, how they are matched, and which is most like another.

Open content is written as somebody pleases: file bodies, notes, messages, and the names that people give. What clean ones look
like says little of the next one. It is told by its name or by its looks, and is none where many tasks have shown few forms.

A text can match a form in one way only, so that a text that does not match is told as fast as one that does. Which text is most like
another is told by the pairs of neighbouring characters that they share (Dice's coefficient), at a cost that is linear in the texts:
one of them comes from outside.
"""

import re
from collections.abc import Collection, Iterable
from enum import Enum, auto
from functools import lru_cache
from itertools import groupby, islice, pairwise

from outcome_monitors.jsonvalue.paths import parse
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.rules.config import CONFIG
from outcome_monitors.rules.evidence.evidence import Place

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
    few = CONFIG.texts_per_phrase_form * len({*map(_form, texts)}) <= min(tasks, len(texts))
    if few and tasks >= CONFIG.min_tasks_of_forms:
        return Looks.FORMED
    is_open = (_named(path) or ("",))[-1] in _OPEN or _share(map(_is_prose, texts), texts)
    return Looks.OPEN if is_open else Looks.PHRASES


def _share(found: Iterable[bool], texts: list[str]) -> bool:
    return sum(found) >= max(CONFIG.prose_share * len(texts), 1)


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
    return len(text) > CONFIG.max_phrase_length or "\n" in text or text.count(" ") >= CONFIG.max_phrase_words


@lru_cache(maxsize=65536)
def _has_words(text: str) -> bool:
    return _TWO_WORDS.search(text) is not None


@lru_cache(maxsize=65536)
def _form(text: str) -> str:
    """Return a text with all words and numbers alike."""
    return _WORDS.sub("x", text)


def pattern_of(forms: Collection[str], signs: dict[str, str], *, any_width: bool) -> str:
    """Return a pattern that texts of these forms match, and no others.

    `signs` gives the characters that a sign of a form stands for; with `any_width`, once or more. Other characters stand for
    themselves.
    """

    def written(sign: str, width: int) -> str:
        if sign in signs and any_width:
            return signs[sign] + "++"
        return signs.get(sign, re.escape(sign)) + (f"{{{width}}}" if width > 1 else "")

    branches = ("".join([written(sign, len([*run])) for sign, run in groupby(form)]) for form in forms)
    return "|".join(branches) if forms else "(?!)"


LEAST_ALIKE = 0.4
"""Texts that share less are not alike: the closest of them tells nothing."""
MOST_COMPARED = 1000
LONGEST_COMPARED = 80
"""Characters of a text that are looked at."""


def most_alike(text: str, among: Iterable[str]) -> str | None:
    """Return the text that is most like another, the first where several are; None where none is like it."""
    pairs = _pairs(text)
    best, likeness = None, LEAST_ALIKE
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
    return set(pairwise(("", *text[:LONGEST_COMPARED], "")))
