"""Calls as plain JSON: what a row of a store or a call of the host says by other types, a trace line says by these.

Texts stay as they are written: mining and checking speak of what stands in them (`values.paths`), and a result that comes as an object
is held against such a contract all the same (`checking.forms`).
"""

from dataclasses import replace
from typing import Any

from outcome_monitors.model import Call
from outcome_monitors.values.canonical import NOT_JSON, arguments_of, is_plain, made_plain

__all__ = ["FLAGGED", "has_no_text", "plain_call"]

FLAGGED = "flagged"
"""Marks a line whose result broke something when it was recorded; it is kept for people, and mining leaves it out."""
_LARGEST = 10**4300
"""Python writes no number that has as many digits, nor reads one."""


def plain_call(call: Call) -> Call:
    """Return a call whose result and arguments are plain JSON; the very same call where they are.

    What cannot be made JSON is null: there is nothing to be learned from it.
    """
    result = made_plain(call.result)
    result = None if result is NOT_JSON else result
    asked = call.arguments
    given = asked if type(asked) is dict and is_plain(asked) else arguments_of(asked)
    if result is call.result and given is asked:
        return call
    return replace(call, result=result, arguments=given)


def has_no_text(value: Any) -> bool:
    """Say whether a plain value holds a number that has no text."""
    kind = type(value)
    if kind is int:
        return not -_LARGEST < value < _LARGEST
    if kind is list:
        return any(map(has_no_text, value))
    return kind is dict and any(map(has_no_text, value.values()))
