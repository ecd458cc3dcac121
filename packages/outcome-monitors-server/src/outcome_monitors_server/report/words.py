"""How things are written on the page: short, and bounded, whatever they are."""

import json
from collections.abc import Iterator

from outcome_monitors.model import Json
from outcome_monitors.reports import Markup, element
from outcome_monitors.values.display import clip, clip_text

__all__ = ["LONGEST_NAME", "count", "left_out", "name", "note", "sample"]

LONGEST_NAME = 80
LONGEST_SAMPLE = 1200


def count(number: int, noun: str) -> str:
    """Write a number of things: `1 call`, `2,000 calls`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def name(text: str, longest: int = LONGEST_NAME) -> str:
    """Write what a trace calls something."""
    return clip_text(text, longest) or "(no name)"


def left_out(shown: int, whole: int, noun: str) -> str:
    """Say that a list is not all, and why these are in it; empty where nothing is left out."""
    return (
        f"The {shown:,} first of {count(whole, noun)}; {whole - shown:,} are left out."
        if shown < whole
        else ""
    )


def note(text: str) -> Iterator[Markup]:
    """Give a remark, where there is one."""
    if text:
        yield element("p", text, class_="note")


def sample(value: Json) -> str:
    """Write the beginning of a JSON value; one too deep to be written is named by its size."""
    text = ""
    try:
        # The encoder gives piece by piece, so that of a huge value only the beginning is written.
        for piece in json.JSONEncoder(indent=2, ensure_ascii=False, default=str).iterencode(value):
            text += piece[:LONGEST_SAMPLE]
            if len(text) > LONGEST_SAMPLE:
                return f"{text[:LONGEST_SAMPLE]}…"
    except (RecursionError, ValueError):
        return str(clip(value))
    return text
