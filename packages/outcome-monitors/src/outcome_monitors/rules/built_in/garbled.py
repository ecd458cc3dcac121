"""`garbled_text`: bytes, a broken encoding or the pieces of a text stand where it should."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.model import Json
from outcome_monitors.rules.base.severity import Severity
from outcome_monitors.rules.base.traits import Cause, Traits

from .base import BuiltIn, Finding, texts_in

HEAD = 4000
"""Characters at the beginning of a text that are looked at."""
MAX_TEXTS = 300
MIN_PIECES = 4

_TORN_NUMBER = re.compile(r"\d\.$")
_TORN_INITIAL = re.compile(r"(?:^|[\s(])[A-Z]\.$")
_TAIL = re.compile(r"[,;:)\]]\s")
"""What no sentence begins with."""
_MOJIBAKE = re.compile(
    "[ÃÂ][\x80-\xbf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]|â€[\x80-\xbf\u0152\u0153\u02dc\u2122\u0153\u009d\u201c\u201d\u00a6]"
)
_BINARY = ("%PDF-", "PK\x03\x04", "\x89PNG", "\x1f\x8b", "GIF8", "\x7fELF", "\xff\xd8\xff")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")


class GarbledText(BuiltIn):
    """Texts can be read: no binary data, no broken encoding, nothing torn apart."""

    name = "garbled_text"
    code = "text_garbled"
    cause = Cause.NO_ANSWER
    traits = Traits(about="shape", never_normal=True, severity=Severity.CRITICAL, own_words=True)
    sentence = "texts are readable"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look at the beginning of each text, and at lists of texts that were torn inside a number or an abbreviation."""
        for count, (path, text) in enumerate(texts_in(result)):
            if count == MAX_TEXTS:
                break
            what = _garbled(text)
            if what:
                yield Finding(path, "readable text", clip_text(text), f"{path or 'the result'} has {what}")
        if isinstance(result, str) and _is_torn_json(result):
            yield Finding("", "whole JSON", clip_text(result[-60:]), "the result is JSON that was cut off")
        yield from _torn(result, "")


def _garbled(text: str) -> str:
    if text.isascii() and text.isprintable():
        return ""
    head = text[:HEAD]
    if text.startswith(_BINARY):
        return "binary data"
    if "\x00" in text[: 10 * HEAD]:
        return "NUL characters"
    if head.count("\ufffd") > max(2, len(head) // 200):
        return "characters lost in decoding"
    if len(_CONTROLS.findall(head)) > max(3, len(head) // 50):
        return "binary data"
    if not head.isascii() and len(_MOJIBAKE.findall(head)) > max(1, len(head) // 400):
        return "text in the wrong encoding"
    return ""


def _is_torn_json(text: str) -> bool:
    """Say whether a text begins as JSON and ends in the middle of it."""
    if not text.startswith(('{"', '[{"', '["')) or text.rstrip()[-1:] in "}]" or len(text) > 1_000_000:
        return False
    try:
        json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return True
    return False


def _torn(value: Json, path: str, depth: int = 5) -> Iterator[Finding]:
    """Yield lists of texts that are the pieces of one text, split at dots that end no sentence."""
    if isinstance(value, dict) and depth:
        for name, item in value.items():
            if isinstance(item, (dict, list)):
                yield from _torn(item, below(path, str(name)), depth - 1)
    elif (
        isinstance(value, list)
        and len(value) > 2
        and all(isinstance(piece, str) for piece in value[:MAX_TEXTS])
    ):
        pieces = value[:MAX_TEXTS]
        sentences = 2 * sum(piece.endswith(".") for piece in pieces) > len(pieces) >= MIN_PIECES
        for index, (one, other) in enumerate(pairwise(pieces), 1):
            if _is_torn(one, other) or (sentences and _TAIL.match(other)):
                observed = f"…{one[-20:]} | {other[:20]}"
                what = f"the texts of {path or 'the result'} are torn apart"
                yield Finding(at_index(path, index), "whole sentences", observed, what)
                return


def _is_torn(one: str, other: str) -> bool:
    """Say whether one text ends, and the other begins, inside a number or an abbreviation."""
    if _TORN_NUMBER.search(one):
        return other[:1].isdigit() and not other[:3].strip("0123456789").startswith(".")
    return bool(_TORN_INITIAL.search(one) and len(one) + len(other) > 4 and re.fullmatch(r"[A-Z]\.", other))
