"""Regular expressions that generated code matches texts with: one for many forms, and a column of texts at once.

A text can match a pattern of forms in one way only, so that a text that does not match is told as fast as one that does.
"""

import re
from collections.abc import Callable, Collection, Iterable
from itertools import groupby

__all__ = ["all_alike", "all_match", "pattern_of"]

_Run = tuple[str, int]
"""A sign of a form and how often it stands there in a row."""


def pattern_of(forms: Iterable[str], signs: dict[str, str], *, any_width: bool) -> str:
    """Return a pattern that texts of these forms match, and no others.

    `signs` gives the characters that a sign of a form stands for; with `any_width`, once or more. Other characters stand for
    themselves.
    """
    cut = {tuple((sign, len([*run])) for sign, run in groupby(form)) for form in forms}

    def written(sign: str, widths: Collection[int]) -> str:
        if sign in signs and any_width:
            return signs[sign] + "++"
        spans = [_span(signs.get(sign, re.escape(sign)), *span) for span in _spans(widths)]
        return spans[0] if len(spans) == 1 else f"(?:{'|'.join(spans)})"

    return _branches(cut, written) if cut else "(?!)"


def _branches(forms: set[tuple[_Run, ...]], written: Callable[[str, Collection[int]], str]) -> str:
    """Write forms by their first runs; those that go on alike are written together."""
    rests: dict[_Run, set[tuple[_Run, ...]]] = {}
    for form in forms - {()}:
        rests.setdefault(form[0], set()).add(form[1:])
    alike: dict[tuple[str, frozenset[tuple[_Run, ...]]], list[int]] = {}
    for (sign, width), rest in sorted(rests.items(), key=lambda item: item[0]):
        alike.setdefault((sign, frozenset(rest)), []).append(width)
    parts = [written(sign, widths) + _branches(set(rest), written) for (sign, rest), widths in alike.items()]
    parts += [""] if () in forms else []
    return parts[0] if len(parts) == 1 else f"(?:{'|'.join(parts)})"


def _spans(widths: Collection[int]) -> list[tuple[int, int]]:
    """Return the spans without gaps that widths make up."""
    spans: list[tuple[int, int]] = []
    for width in sorted(widths):
        if spans and spans[-1][1] == width - 1:
            spans[-1] = (spans[-1][0], width)
        else:
            spans.append((width, width))
    return spans


def _span(characters: str, least: int, most: int) -> str:
    if least == most == 1:
        return characters
    return f"{characters}{{{least}}}+" if least == most else f"{characters}{{{least},{most}}}+"


def all_match(pattern: str) -> Callable[[list[str]], bool]:
    """Return the test that every text of a column matches; it raises a TypeError where there is anything but texts.

    The pattern must match no text of several lines: the texts are matched together, a line each.
    """
    match = re.compile(f"(?:{pattern}\\n)*+").fullmatch

    def every(column: list[str]) -> bool:
        if not column:
            return True
        lines = "\n".join(column) + "\n"
        # A text of several lines must not pass for several texts.
        return lines.count("\n") == len(column) and match(lines) is not None

    return every


def all_alike(form: str, signs: bytes) -> Callable[[list[str]], bool]:
    """Return the test that every text of a column has one form, which is of one line; `signs` is the table of what each character stands for.

    It raises a TypeError where there is anything but texts.
    """
    line = f"{form}\n".encode()

    def every(column: list[str]) -> bool:
        # With no line more than texts, each line is a text.
        return not column or ("\n".join(column) + "\n").encode().translate(signs) == line * len(column)

    return every
