"""Incident faults that empty a payload, cut it, or put something else in its place."""

from typing import Final

from outcome_monitors.model import Json

from .fault import NOT_APPLICABLE
from .places import canonical, changed, edit
from .view import View
from .vocabulary import is_count, is_error, is_flag, is_fresh, is_id, primary_list, succeeded, text_slot

__all__ = ["PAGE", "PAGE_IN_LOG", "paged", "stripped", "swallowed", "swallowed_but_counted", "truncated"]


def swallowed(view: View, *, keep_counts: bool) -> Json:
    """Empty every list, string and number that is not a flag, a stamp or an argument given back."""

    def empty(key: str | None, value: Json) -> Json:
        if isinstance(value, dict):
            return {name: empty(name, item) for name, item in value.items() if not is_error(name)}
        if isinstance(value, list):
            return []
        if is_flag(key):
            return succeeded(key, value)
        if value is None or isinstance(value, bool) or value in view.asked or is_fresh(key, value):
            return value
        if keep_counts and is_count(key):
            return value
        return "" if isinstance(value, str) else 0

    return empty(None, view.result)


def swallowed_but_counted(view: View) -> Json:
    """Empty everything but the counts, where there are any."""
    counted = swallowed(view, keep_counts=True)
    return NOT_APPLICABLE if counted == swallowed(view, keep_counts=False) else counted


_MESSAGE_KEYS = (
    "message",
    "detail",
    "description",
    "summary",
    "content",
    "text",
    "body",
    "reason",
    "note",
    "result",
)


def stripped(view: View, *, phrase: str) -> Json:
    """Keep flags, ids and what was asked, and let the message be a status phrase."""
    if not isinstance(view.result, dict):
        return {"result": phrase}
    spoken = next((key for key in _MESSAGE_KEYS if key in view.result), "message")
    kept = {
        key: phrase if key == spoken else value
        for key, value in view.result.items()
        if key == spoken or is_flag(key) or is_id(key) or _is_asked(view, value)
    }
    return kept if spoken in kept else {**kept, spoken: phrase}


def _is_asked(view: View, value: Json) -> bool:
    return not isinstance(value, dict | list | bool) and value in view.asked


PAGE: Final = """<!DOCTYPE HTML>
<html><head><title>Error response</title></head>
<body>
<h1>Error response</h1>
<p>Error code: 400</p>
<p>Message: Bad JSON.</p>
<p>The request could not be read, and nothing was done about it.</p>
</body></html>
"""
PAGE_IN_LOG: Final = f"LLM raw response: {len(PAGE)} bytes, first 500 chars: {PAGE}Waiting 3s before retry..."


def paged(view: View, *, page: str) -> Json:
    """Put a page where the text was, else the rows, else the whole result."""
    slot = text_slot(view.nodes, view.asked) or primary_list(view.nodes) or view.root
    return changed(view.result, edit(slot.place, page))


# Where the client of the incident folded a message.
_FOLD = 4000


def truncated(view: View) -> Json:
    """Drop rows from the end, or cut the text, to half the length or to where the client folds."""
    excess = len(view.text) - min(_FOLD, len(view.text) // 2)
    rows = primary_list(view.nodes)
    if rows is not None and len(rows.value) > 1:
        kept = len(rows.value)
        while kept > 1 and excess > 0:
            kept -= 1
            excess -= len(canonical(rows.value[kept]) or "") + 1
        return changed(view.result, edit(rows.place, rows.value[:kept]))
    slot = text_slot(view.nodes, view.asked)
    if slot is None:
        return NOT_APPLICABLE
    return changed(view.result, edit(slot.place, slot.value[: max(1, len(slot.value) - excess)]))
