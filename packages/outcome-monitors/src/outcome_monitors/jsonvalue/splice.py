"""Where things stand in JSON text, so that something can be put in and every other byte stays what it was."""

from collections.abc import Iterable, Iterator
from json.decoder import JSONDecoder, scanstring  # type: ignore[attr-defined]  # the second is not in the stubs
from typing import NamedTuple

_BLANK = " \t\n\r"
_DECODER = JSONDecoder()


class TextSpan(NamedTuple):
    """From the first character of a value to behind its last."""

    start: int
    end: int


class Insertion(NamedTuple):
    """Text to put in, and where; it may stand for so many characters that were there."""

    at: int
    text: str
    instead: int = 0


def value_at(text: str, start: int = 0) -> TextSpan:
    """Return the span of the value that begins at or after `start`; the text must be JSON."""
    first = _skip(text, start)
    return TextSpan(first, _DECODER.raw_decode(text, first)[1])


def members(text: str, span: TextSpan) -> dict[str, TextSpan]:
    """Return the spans of an object's values by key; of a key that comes twice the last, as readers have it."""
    found: dict[str, TextSpan] = {}
    at = _skip(text, span.start + 1)
    while text[at] != "}":
        key, at = scanstring(text, at + 1)
        found[key] = value_at(text, _skip(text, at) + 1)
        at = _next(text, found[key].end)
    return found


def items(text: str, span: TextSpan) -> Iterator[TextSpan]:
    """Yield the spans of a list's items."""
    at = _skip(text, span.start + 1)
    while text[at] != "]":
        item = value_at(text, at)
        yield item
        at = _next(text, item.end)


def inserted(text: str, insertions: Iterable[Insertion]) -> str:
    """Return the text with all that is to be put in."""
    parts, last = [], 0
    for at, what, instead in sorted(insertions):
        parts += [text[last:at], what]
        last = at + instead
    return "".join([*parts, text[last:]])


def _next(text: str, at: int) -> int:
    at = _skip(text, at)
    return _skip(text, at + 1) if text[at] == "," else at


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANK:
        at += 1
    return at
