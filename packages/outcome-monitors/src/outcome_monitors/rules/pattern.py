"""`pattern`: the text matches what its schema declares as `pattern` or `format`; nothing is mined.

A pattern comes from outside, so only those are read that take time linear in the text: pieces of one character each, in a row, of which
none that may repeat is followed by one that matches the same. No groups, no alternatives, no references.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from outcome_monitors.model import Json
from outcome_monitors.rules.evidence.evidence import Evidence

from .base.kind import TEXTS, Candidate, ValueKind
from .base.traits import Drift, Traits

LONGEST_PATTERN, LONGEST_TEXT = 300, 1000
"""Characters; longer patterns are not read, and longer texts are let be."""
_PIECE = re.compile(
    r"(?P<one>\\[dDwW]|\\[^\w\s]|\[\^?(?:\\[dDwW]|\\[^\w\s]|[^\]\\\[])+\]|[^\\\[\](){}|*+?.^$]|\.)"
    r"(?P<often>\{(?P<least>\d{1,3})(?P<most>,\d{0,3})?\}|[*+?])?"
)
_SET_OPERATION = re.compile(r"--|&&|~~|\|\|")


@lru_cache(maxsize=1024)
def compile_linear(pattern: str) -> re.Pattern[str] | None:
    """Return a pattern to search with, read as ECMA-262 has it; None where it might take long, or is none."""
    if len(pattern) > LONGEST_PATTERN:
        return None
    begins = "^" if pattern[:1] == "^" else ""
    body = pattern.removeprefix("^")
    ends = body.endswith("$") and not body.endswith("\\$")
    body = body[:-1] if ends else body
    pieces = [*_PIECE.finditer(body)]
    if "".join(piece.group() for piece in pieces) != body or _SET_OPERATION.search(body):
        return None
    try:
        if not _is_unambiguous(pieces):
            return None
        return re.compile(begins + body + (r"\Z" if ends else ""), re.ASCII)
    except (re.error, OverflowError):
        return None


def _is_unambiguous(pieces: list[re.Match[str]]) -> bool:
    """Say whether of each piece that may repeat the next character tells whether it goes on."""
    characters = {
        *map(chr, range(128)),
        "é",
        "中",
        *(character for piece in pieces for character in piece.group()),
    }
    admitted = [{one for one in characters if re.fullmatch(piece["one"], one, re.ASCII)} for piece in pieces]
    for place, piece in enumerate(pieces):
        if piece["often"] is None or (piece["least"] is not None and piece["most"] is None):
            continue
        for after in range(place + 1, len(pieces)):
            if not admitted[place].isdisjoint(admitted[after]):
                return False
            if not _may_be_absent(pieces[after]):
                break
    return True


def _may_be_absent(piece: re.Match[str]) -> bool:
    return piece["often"] in ("*", "?") or (piece["least"] is not None and int(piece["least"]) == 0)


class Pattern(ValueKind):
    """Every text at the path matches a pattern."""

    name = "pattern"
    code = "pattern_mismatch"
    traits = Traits(types=TEXTS, drift=Drift.LISTED, own_words=True)
    identity = ("pattern",)
    sentence = "{path} matches {expected}"
    wrong = "field {place} does not have the form that is declared"
    params = {"pattern": lambda v: isinstance(v, str) and compile_linear(v) is not None}

    def suggest(self, evidence: Evidence) -> Iterator[Candidate]:
        """Suggest nothing: what forms texts have is learned by `form`."""
        return iter(())

    def holds(self, params: Mapping[str, Json]) -> Callable[[Json], bool]:
        compiled = compile_linear(params["pattern"])
        assert compiled is not None
        search = compiled.search
        return lambda value: type(value) is not str or len(value) > LONGEST_TEXT or search(value) is not None

    def expected(self, params: Mapping[str, Json]) -> Json:
        return params["pattern"]
