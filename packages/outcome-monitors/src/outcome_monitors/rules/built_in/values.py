"""`impossible_value`: no number has a sign or a size that its name rules out, and no text stands for a value that is not there."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from outcome_monitors.jsonvalue.display import clip_text
from outcome_monitors.jsonvalue.paths import at_index, below
from outcome_monitors.jsonvalue.text import words
from outcome_monitors.jsonvalue.types import finite
from outcome_monitors.model import Json
from outcome_monitors.rules.base.traits import Cause

from .base import MAX_DEPTH, MAX_ROWS, BuiltIn, Finding
from .vocabulary import named

_NONE = r"(?:undefined|NaN|Invalid Date|\[object Object\]|0000-00-00|<no value>|[Ll]oading(?:\.{3}|…)|#(?:REF|VALUE|DIV/0|NULL|NUM)!|#NAME\?)"
"""Texts that programs write where there is no value."""
NO_VALUE = re.compile(_NONE)
SIGNS = ("undefined", "NaN", "Invalid Date", "[object", "0000-00", "<no value", "oading", "#")
"""One of these is in each of them, and is looked for much faster."""

AMOUNTS = named("price cost fee fare total subtotal salary rent")
"""Last words of names of amounts: below zero where money comes back."""
QUANTITIES = named(
    "quantity qty count stock inventory age distance duration weight height width population views likes votes followers downloads stars"
    " seats nights guests capacity humidity calories"
)
"""Last words of names of what cannot be below zero; -1 stands for "unknown" in many APIs."""
UNITS = named(
    "km m mi miles meters metres min mins minutes ms s sec seconds h hours days kg g lb lbs usd eur pct percent kcal"
)
"""Words that may stand behind such a name."""
BOUNDS = {
    "latitude": (-90, 90),
    "lat": (-90, 90),
    "longitude": (-180, 180),
    "lng": (-180, 180),
    "lon": (-180, 180),
    "humidity": (0, 100),
    "month": (0, 12),
    "hour": (0, 24),
    "probability": (0, 100),
    "confidence": (0, 100),
    "accuracy": (0, 100),
}
"""What a number of that name is between; shares are written up to 1 or up to 100."""
UNKNOWN = -1

_REFUNDS = re.compile(
    r"refund|credit|return|void|adjust|discount|chargeback|revers|cancel|debit|withdraw|expense",
    re.IGNORECASE,
)
CHANGES = named(
    "change delta diff difference net balance growth offset adjustment discount refund tax gain loss profit"
)


MAX_TEXT = 20_000
MAX_VALUE = 40
MAX_BARE = 500
_LINE = re.compile(
    rf"^[-*#\s]*(?:[\w ]{{1,40}}\**:\**\s*)?[$€£]?{_NONE}(?:[\s,/-]{{1,3}}{_NONE})*(?:\s?[%°]|\s?[°%]?[A-Za-z]{{1,3}}(?:/[a-z]{{1,2}})?)?\s*$",
    re.MULTILINE,
)
"""A line that is nothing but such a text, with a name before it and a unit behind it."""
_SHARE = re.compile(r"^[-*#\s]*([\w ]{1,40}?)\**:\**\s*(-?\d{1,9}(?:\.\d{1,9})?)\s?%\s*$", re.MULTILINE)


class ImpossibleValue(BuiltIn):
    """No number has a sign or a size that its name rules out."""

    name = "impossible_value"
    of_a_value = True
    code = "value_impossible"
    cause = Cause.NUMBERS_DISAGREE
    sentence = "numbers have a sign and a size that their names allow"

    def find(self, arguments: Mapping[str, Json], result: Json) -> Iterator[Finding]:
        """Look at the numbers of each record, and at the lines of a text that have no value."""
        if isinstance(result, str):
            text = result[:MAX_TEXT]
            found = (
                _LINE.search(text) if any(sign in text for sign in SIGNS) and NO_VALUE.search(text) else None
            )
            line = found[0].strip() if found else ""
            # Between the lines of a longer text it may be what a program printed.
            if line and (":" in line or (len(text) < MAX_BARE and "oading" not in line)):
                yield Finding(
                    "", "a value", clip_text(line), f"{clip_text(line)!r} has what stands for no value"
                )
            for name, share in _SHARE.findall(text) if "%" in text else ():
                low, high = bounds(name) or (float("-inf"), float("inf"))
                if not low <= float(share) <= high:
                    yield Finding("", f"{low} to {high}", float(share), f"{name} is no possible value")
        else:
            yield from _records(result, "", MAX_DEPTH)


def _records(value: Json, path: str, depth: int) -> Iterator[Finding]:
    if isinstance(value, list) and depth:
        for index, item in enumerate(value[:MAX_ROWS]):
            if isinstance(item, (dict, list)):
                yield from _records(item, at_index(path, index), depth - 1)
    elif isinstance(value, dict):
        refunds: bool | None = None
        for name, item in value.items():
            where = below(path, str(name))
            if isinstance(item, (dict, list)):
                if depth:
                    yield from _records(item, where, depth - 1)
            elif type(item) is str:
                if len(item) < MAX_VALUE and NO_VALUE.search(item) and _LINE.fullmatch(item):
                    yield Finding(where, "a value", item, f"field {where} has what stands for no value")
            elif (
                finite(item)
                and isinstance(name, str)
                and (bound := bounds(name))
                and not bound[0] <= item <= bound[1]
            ):
                if item == UNKNOWN:
                    continue
                if refunds is None:
                    refunds = any(
                        isinstance(text, str) and _REFUNDS.search(text[:100])
                        for pair in value.items()
                        for text in pair
                    )
                if not refunds:
                    expected = f"at least {bound[0]}" if item < bound[0] else f"at most {bound[1]}"
                    yield Finding(where, expected, item, f"field {where} is no possible value")


@lru_cache(maxsize=4096)
def bounds(name: str) -> tuple[float, float] | None:
    """Return what a number of this name is between; None where the name says nothing."""
    parts = words(name)
    if not parts or CHANGES.intersection(parts):
        return None
    last = parts[-2] if len(parts) > 1 and parts[-1] in UNITS else parts[-1]
    if last in BOUNDS:
        return BOUNDS[last]
    return (0, float("inf")) if last in AMOUNTS or last in QUANTITIES else None
