"""`truncated`: a result that says or shows that it was cut, where the call asked for no less. Information, not an alarm."""

import re
from collections.abc import Iterator, Mapping

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import below
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Traits

from .base import MAX_NUMBER, BuiltIn, Finding, bare, lists_in, record_in, texts_in
from .vocabulary import MORE, NEXT, PARTS, TOTALS, named

SAYS_MORE = MORE | named("truncated istruncated incomplete partial")

ENDS = 600
"""Characters at both ends of a text that may say that it was cut."""

_SAYS = re.compile(
    r"\b(?:output|content|result|response|text|file|message|list|data)s?\s(?:(?:was|were|is|has\sbeen)\s)?(?:truncated|cut\soff|shortened)\b|[\[(<]\s*\W*(?:content\s|output\s|text\s)?truncated\b"
    r"|\btruncated\s(?:to|at|after|for)\b|\.\.\.\s*[\[(]?\d[\d,]*\s(?:more\s)?(?:characters?|chars|lines|bytes|items|rows|results|tokens)|\b\d[\d,]*\s(?:more|remaining|additional)\s(?:characters?|chars|lines|bytes|items|rows|results|entries|pages)\b"
    r"|\bshowing\s(?:only\s)?(?:the\s)?(?:first|top|last)\s\d+\b|\bshowing\s(?:page\s)?\d+\s?(?:-|\u2013|to|of)\s?\d+|\bpage\s1\sof\s(?:[2-9]|\d\d+)\b|\bto\s(?:see|get|read|view)\s(?:the\s)?(?:rest|next|remaining)\b|\bmaximum\s(?:length|size|number\sof\s\w+)\s(?:reached|exceeded)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\bpage\s1\sof\s1\b|\b0\s(?:more|remaining)\b|\b1\s?(?:-|\u2013|to)\s?(\d+)\sof\s\1\b", re.IGNORECASE
)


_HINTS = (
    "truncat",
    "cut off",
    "shortened",
    " more ",
    "showing ",
    "page 1 of",
    "maximum ",
    "remaining",
    "additional",
    " rest",
    " next ",
    "...",
)


def _may_say(text: str) -> bool:
    return any(hint in text for hint in _HINTS)


class Truncated(BuiltIn):
    """The result is whole, unless the call asked for less."""

    name = "truncated"
    code = "result_truncated"
    cause = Cause.LOOKS
    traits = Traits(about="shape", never_normal=True, severity=Severity.INFO, own_words=True, informs=True)
    sentence = "the result is whole, unless less was asked for"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look for fields and words that say that there is more."""
        if any(bare(name) in PARTS and value is not None for name, value in arguments.items()):
            return
        if isinstance(result, dict):
            yield from _fields(result)
        for path, text in texts_in(result, depth=2):
            ends = (text[:ENDS], text[-ENDS:]) if len(text) > ENDS else (text,)
            said = next(
                (found for end in ends if _may_say(end.lower()) and (found := _SAYS.search(end))), None
            )
            if said and not _ALL.search(text[:ENDS]) and not _ALL.search(text[-ENDS:]):
                yield Finding(path, "the whole", clip_text(said[0]), "says that it was cut")
                return


def is_cut(result: Json) -> bool:
    """Say whether a result shows by its fields that there is more."""
    return isinstance(result, dict) and next(_fields(result), None) is not None


def _fields(result: Mapping[str, Json]) -> Iterator[Finding]:
    path, record = record_in(result)
    for name, value in record.items():
        known = bare(name) if isinstance(name, str) else ""
        if (known in SAYS_MORE and value is True) or (
            known in NEXT and isinstance(value, (str, int)) and value and value is not True
        ):
            yield Finding(below(path, str(name)), "the whole", value, "says that there is more")
            return
    lists = lists_in(result)
    if len(lists) == 1:
        [(where, rows)] = lists.items()
        noun = words(where)[-1:] or [""]
        for name, value in record.items():
            if (
                isinstance(name, str)
                and bare(name) in TOTALS | {f"total{noun[0]}"}
                and type(value) is int
                and MAX_NUMBER > value > len(rows) > 0
            ):
                yield Finding(where, f"{value} items", len(rows), f"has {len(rows)} of {value}")
                return
