"""A tool that says what is wrong with its caller's own argument has done what it should: it has not failed.

"There is no city Atlantis", "max_nightly must be at least 10": the error names an argument, or what was given for it, and says that there is
no such thing or that it is not taken. Of what clean traces have an answer for, the same words are a fault.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from outcome_monitors.model import Json
from outcome_monitors.values.display import clip_text

__all__ = ["refused"]

LONGEST = 400
"""Characters of a text that says no more than that."""
MOST_FIELDS = 8
"""Fields of an answer that says no more than that."""

_NO = re.compile(
    r"\bno (?:such|\w+ (?:named|called|with|for)\b)|\bthere (?:is|are|was|were) no\b|\bnot (?:found|known|(?:a )?valid|allowed|supported|accepted)\b"
    r"|\b(?:does|do|did) ?n[o']t exist\b|\bunknown\b|\bun(?:recogni[sz]ed|supported)\b|\binvalid\b|\bmust (?:not )?(?:be|have|match)\b"
    r"|\bshould be\b|\bout of range\b|\bcan ?not be\b|\btoo (?:long|large|small|short|many|few)\b",
    re.IGNORECASE,
)


def refused(arguments: Mapping[str, Json], answer: Json, fields: Iterable[str]) -> Iterator[str]:
    """Yield the arguments that an answer refuses, where that is all it does; `fields` are those that bear errors."""
    said = _said(answer, fields)
    if not said or _NO.search(said) is None:
        return
    for name, value in arguments.items():
        if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", said) for word in _words(name, value)):
            yield name


def _words(name: str, value: Json) -> Iterator[str]:
    """Yield the words by which an error may name an argument."""
    yield str(name)
    if type(value) in (str, int, float) and value != "":
        yield clip_text(str(value), LONGEST)


def _said(answer: Json, fields: Iterable[str]) -> str:
    """Return the error that is all of an answer; nothing of any other."""
    if type(answer) is str:
        return answer if len(answer) <= LONGEST else ""
    if type(answer) is not dict or len(answer) > MOST_FIELDS:
        return ""
    names = frozenset(fields)
    bearing = [value for key, value in answer.items() if str(key).lower() in names and value]
    return " ".join(islice(_texts(bearing), MOST_FIELDS))[:LONGEST]


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield the texts among values, and those in the objects among them."""
    for value in values:
        if type(value) is str:
            yield value
        elif type(value) is dict and len(value) <= MOST_FIELDS:
            yield from (inner for inner in value.values() if type(inner) is str)
