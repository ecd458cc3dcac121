"""What an encoder is given, and how the parts of it are shown: cut to size, and never as words of the receipt's own."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from outcome_monitors.model import Json, Violation
from outcome_monitors.recovery.relations import Effect, Relation
from outcome_monitors.values.display import clip, clip_text
from outcome_monitors.values.paths import ROOT

__all__ = [
    "LONGEST_PLACE",
    "MOST_EXPECTED",
    "Finding",
    "expected",
    "first_violation",
    "name",
    "place",
    "quoted",
]

MOST_EXPECTED = 12
LONGEST_NAME = 200  # tool names and details: the values inside them are already clipped
LONGEST_PLACE = 80
_WORD = r"[\w.\[\]*@$:/#+-]+"
_PLACE = re.compile(rf"(?=.{{1,{LONGEST_PLACE}}}\Z){_WORD}(?: {_WORD}){{0,2}}\Z")
"""A place that cannot be taken for prose, which has more words; any other is quoted."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What an encoder is given: a call's violations, at least one, and what can be done about them."""

    tool: str
    violations: Sequence[Violation]
    recovery: Sequence[str]
    """Tools the agent can call, the flagged one first where it is listed (`recovery.actions`)."""
    source: str | None = None
    """Where the first violated clause comes from, as in `Clause.source`."""
    actions: Sequence[Relation] = ()
    """The tools of `recovery`, each with the reason it is listed and how it is called."""
    effect: Effect | None = None
    """What calling the tool does beside answering, where that is known."""
    arguments: Mapping[str, Json] = field(default_factory=dict)
    """What the tool was called with."""
    result: Json = None
    odds: float | None = None
    """That the result is wrong, where that was weighed."""
    needed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The arguments that each tool needs, where they are known."""
    clause: str = ""
    """The address of the first violated clause."""


def first_violation(finding: Finding) -> dict[str, Json]:
    """Return the violation that explains most, as data."""
    first = finding.violations[0]
    return {
        "tool": name(finding.tool),
        "property": name(first.code),
        "path": place(first.path),
        "expected": expected(first.expected),
        "observed": clip(first.observed),
    }


def name(text: str) -> str:
    """Return a name, cut to size."""
    return clip_text(text, LONGEST_NAME)


def place(path: str) -> str:
    """Return a path; one that could be read as prose, or is long, is cut and stands in quotes."""
    if path == ROOT or _PLACE.match(path):
        return path
    return quoted(clip_text(path, LONGEST_PLACE))


def expected(value: Any) -> Json:
    """Return an expected value to be shown; a list of them says how many it leaves out."""
    if not isinstance(value, (list, tuple)):
        return clip(value)
    if len(value) <= MOST_EXPECTED:
        return [clip(item) for item in value]
    kept = value[: MOST_EXPECTED - 1]
    return [*(clip(item) for item in kept), f"and {len(value) - len(kept)} more"]


def quoted(value: Json) -> str:
    """Write a value as JSON does, so that the words of a result cannot pass for words of the receipt."""
    return json.dumps(value, ensure_ascii=False)
