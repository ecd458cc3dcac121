"""Drift in single values: units, scales, time zones, encodings, words for nothing."""

import re
from collections.abc import Iterator
from functools import partial

from outcome_monitors.model import Json

from .fault import (
    Fault,
    Subject,
    about,
    each_changed,
    numbers,
    strings,
)
from .places import Edits, Node, edit
from .vocabulary import MONEY, is_count, is_flag, is_id, is_time, moved_hours, words


def _all_changed(nodes: Iterator[tuple[Node, object]]) -> Iterator[Edits]:
    """Offer one change that makes all of the given ones, where there are any."""
    edits = tuple((node.place, new) for node, new in nodes if new != node.value)
    if edits:
        yield edits


def rounded_ids(view: Subject) -> Iterator[Edits]:
    """Send ids that are long numbers, or their digits, through a float."""
    return _all_changed((node, _rounded(node.value)) for node in view.nodes if is_id(node.key))


def _rounded(value: Json) -> Json:
    if type(value) is int and abs(value) < 2**64:
        return int(float(value))
    # As long as 2^53 and more, no longer than 2^64.
    if (
        isinstance(value, str)
        and 16 <= len(value) <= 20
        and value.isascii()
        and value.isdigit()
        and value[0] != "0"
    ):
        return str(int(float(value)))
    return value


def garbled(view: Subject) -> Iterator[Edits]:
    """Read UTF-8 as Windows text."""
    return _all_changed(
        (node, node.value.encode("utf-8", "replace").decode("cp1252", "replace"))
        for node in strings(view)
        if not node.value.isascii()
    )


_APOSTROPHE = re.compile(r"(?<=[a-z])'(?=[a-z])")


def apostrophes_garbled(view: Subject) -> Iterator[Edits]:
    """The same for typographic apostrophes."""
    return _all_changed((node, _APOSTROPHE.sub("\u00e2\u20ac\u2122", node.value)) for node in strings(view))


_OFFSET = re.compile(r"(?<=\d)(?:Z|[+-]\d{2}:?\d{2})\Z")


def offset_lost(view: Subject) -> Iterator[Edits]:
    """Strip the offset of every time."""
    return _all_changed(
        (n, _OFFSET.sub("", n.value)) for n in strings(view) if is_time(n.value) and len(n.value) > 16
    )


def shifted_hours(view: Subject) -> Iterator[Edits]:
    """Give every time in another zone without a mark of it."""
    for hours in (-5, 2, 8):
        yield from _all_changed((n, moved_hours(n.value, hours)) for n in strings(view) if is_time(n.value))


_CLOCK_WORDS = frozenset(
    ("at", "created", "date", "epoch", "expires", "reset", "time", "timestamp", "ts", "updated")
)


def milliseconds(view: Subject) -> Iterator[Edits]:
    """Give seconds as milliseconds, or the other way round."""
    for node in numbers(view):
        if type(node.value) is int and about(view, node, _CLOCK_WORDS):
            # Seconds of the years 2001 to 2096, and the same span in milliseconds.
            if 10**9 <= node.value < 4 * 10**9:
                yield edit(node.place, node.value * 1000)
            elif 10**12 <= node.value < 4 * 10**12:
                yield edit(node.place, node.value // 1000)


def wrong_scale(view: Subject) -> Iterator[Edits]:
    """Give one kind of money in cents, in hundreds or with the point one place off, wherever it stands."""
    columns: dict[str, list[Node]] = {}
    for node in numbers(view):
        if node.value != 0 and (
            about(view, node, MONEY) or (is_count(node.key) and type(node.value) is float)
        ):
            columns.setdefault(node.path, []).append(node)
    for column in columns.values():
        for factor in (100, 0.01, 10):
            yield tuple((node.place, round(node.value * factor, 6)) for node in column)


_LABELS = {
    "usd": "EUR",
    "eur": "USD",
    "gbp": "USD",
    "jpy": "USD",
    "$": "\u20ac",
    "\u20ac": "$",
    "km": "mi",
    "mi": "km",
    "kg": "lbs",
    "lbs": "kg",
    "lb": "kg",
    "ft": "m",
    "m": "ft",
    "inch": "cm",
    "cm": "inch",
    "celsius": "fahrenheit",
    "fahrenheit": "celsius",
    "gb": "MB",
    "mb": "GB",
    "hours": "minutes",
    "minutes": "hours",
    "days": "weeks",
    "words": "lines",
    "lines": "words",
    "characters": "words",
}


def labels_swapped(view: Subject) -> Iterator[Edits]:
    """Keep the numbers and change the name of their unit."""
    return each_changed(strings(view), lambda text: _LABELS.get(text.lower(), text))


_NAMES = "|".join(sorted((label for label in _LABELS if len(label) > 1), key=len, reverse=True))
_UNIT = re.compile(rf"\b(\d[\d.,]*[ -]?)({_NAMES})\b", re.IGNORECASE)


def units_swapped_in_text(view: Subject) -> Iterator[Edits]:
    """Change a unit that follows a number in a text, or the currency sign before one."""
    return each_changed(strings(view), _with_another_unit)


def _with_another_unit(text: str) -> str:
    swapped = _UNIT.sub(lambda unit: unit[1] + _LABELS[unit[2].lower()], text, count=1)
    return re.sub(r"\$(?=\d)", "\u20ac", text) if swapped == text else swapped


def null_as_zero(view: Subject) -> Iterator[Edits]:
    """Give nothing as zero, as an empty text or as false."""
    for node in view.nodes:
        if node.value is None and node.place:
            yield from (edit(node.place, zero) for zero in (0, "", False))


def null_as_sentinel(view: Subject) -> Iterator[Edits]:
    """Give nothing as a value that stands for nothing somewhere else."""
    for node in view.nodes:
        if node.value is None and node.place:
            yield from (edit(node.place, stand_in) for stand_in in (-9999, "N/A", "1970-01-01T00:00:00Z"))
        elif node.value == "" and node.place:
            yield edit(node.place, "N/A")


_RENAMED = {
    "available": "in_stock",
    "in_stock": "available",
    "pending": "awaiting_processing",
    "processed": "fulfilled",
    "delivered": "complete",
    "cancelled": "voided",
    "open": "opened",
    "closed": "done",
    "confirmed": "accepted",
    "sent": "dispatched",
    "received": "arrived",
}


_WORD = re.compile(r"[a-z]+(?:[_ -][a-z]+)?\Z")


def enumeration_renamed(view: Subject) -> Iterator[Edits]:
    """Give one word of a closed vocabulary another name, wherever it stands under its field."""
    found: dict[tuple[str, str], list[Node]] = {}
    for node in strings(view):
        if node.key is not None and not is_id(node.key) and len(node.value) < 25 and _is_word(view, node):
            found.setdefault((node.path, node.value), []).append(node)
    for (path, word), nodes in found.items():
        # Under a key that is data, the key names no vocabulary.
        field = ("value",) if path.endswith("*") else words(nodes[0].key or "")
        renamed = _RENAMED.get(word.lower()) or "_".join((*field, *words(word))).upper()
        yield tuple((node.place, renamed) for node in nodes)


def _is_word(view: Subject, node: Node) -> bool:
    """Say whether a string is one of few that stand there, and written like a word and not like a name."""
    if is_flag(node.key):
        return bool(node.value.isidentifier())
    seen = view.corpus.vocabulary(view.call.tool, node.path)
    return seen.get(node.value, 0) > 2 and len(seen) < 9 and _WORD.match(node.value) is not None


_fault = partial(Fault.of_forms, "drift")

VALUES = (
    _fault("W19", "int64_rounding", "string", rounded_ids),
    _fault("W20", "mojibake", "string", garbled, apostrophes_garbled),
    _fault("W21", "naive_time", "string", offset_lost, shifted_hours),
    _fault("W22", "epoch_unit", "field", milliseconds),
    _fault("W23", "unit_scale", "field", wrong_scale),
    _fault("W24", "label_swap", "cross-field", labels_swapped, units_swapped_in_text),
    _fault("W25", "null_to_zero", "field", null_as_zero),
    _fault("W26", "sentinel", "field", null_as_sentinel),
    _fault("W30", "enum_drift", "field", enumeration_renamed),
)
