"""An event as a row of a store or a line of a file; one that has no such form is kept in an escaped one.

Names and texts are what servers and clients say: half a surrogate pair, a number of ten thousand digits, an object that is no JSON.
Such a thing costs what it stands in, never the events beside it.
"""

import json
import math
from datetime import UTC, datetime
from typing import Any

from outcome_monitors.state.tables import EVENTS_TABLE as TABLE, EVENTS_VERSION as VERSION
from outcome_monitors.values.database_files import storable

from .event import Event, found_in, to_json

__all__ = ["COLUMNS", "TABLE", "VERSION", "Row", "dated", "escaped_line", "escaped_row", "line_of", "row_of"]

COLUMNS = (
    "time",
    "session",
    "tool",
    "outcome",
    "advised",
    "duration",
    "why",
    "violations",
    "receipt",
    "arguments",
    "result",
)
"""Those of a row that is written, in its order; the store numbers it (`id`)."""

_NOTHING = {list: "[]", type(None): "null"}
_LARGEST = 2**63
LONGEST = 1000
"""Characters that are kept of what is no text where one belongs."""

Row = tuple[Any, ...]


def row_of(event: Event) -> Row:
    """Return the values of an event, in the order of the store's columns."""
    payload = event.payload
    return (
        event.time,
        event.session,
        event.tool,
        event.outcome,
        event.advised,
        event.duration,
        event.why,
        _text(found_in(event) if event.violations else []),
        _text(event.receipt),
        None if payload is None else payload.arguments,
        None if payload is None else payload.result,
    )


def line_of(event: Event) -> str:
    """Return an event as a line of JSON; raise where it has none in UTF-8."""
    if not isinstance(event.tool, str):
        raise TypeError("the tool's name is no text")
    text = json.dumps(to_json(event), default=repr)
    if event.payload is not None:
        # They are JSON already.
        text = f'{text[:-1]}, "arguments": {event.payload.arguments}, "result": {event.payload.result}}}'
    text.encode()
    return text


def escaped_row(event: Event) -> Row:
    """Return the values of an event in a form that any store takes; what has none is left out, and `why` says so."""
    try:
        return tuple(map(_plain, row_of(event)))
    except Exception as error:  # noqa: BLE001 - whatever it is, the event is one
        return tuple(map(_plain, row_of(_bare(event, error))))


def escaped_line(event: Event) -> str:
    """Return an event as a line of JSON in any case."""
    error: Exception
    try:
        return line_of(event._replace(payload=None, time=dated(event.time)))
    except Exception as found:  # noqa: BLE001 - the same
        error = found
    bare = _bare(event, error)
    texts: dict[str, Any] = {
        name: _in_words(getattr(bare, name)) for name in ("session", "tool", "outcome", "why")
    }
    return line_of(bare._replace(**texts, time=dated(event.time), duration=_plain(event.duration)))


def _bare(event: Event, error: Exception) -> Event:
    why = f"{_plain(event.why)}; " if event.why else ""
    return event._replace(
        violations=(), receipt=None, payload=None, why=f"{why}the rest has no form: {type(error).__name__}"
    )


def _text(value: Any) -> str:
    # Of most events there is nothing to tell, and saying so by `dumps` takes longer than all the rest of the row.
    return _NOTHING[type(value)] if not value and type(value) in _NOTHING else json.dumps(value, default=repr)


def _plain(value: Any) -> Any:
    """Return a value that a column takes: what is none of its sort as text, without what has no UTF-8."""
    if value is None or isinstance(value, bool):
        return value
    if type(value) is str:
        return storable(value)
    if type(value) is int and -_LARGEST <= value < _LARGEST:
        return value
    if type(value) is float:
        return value if math.isfinite(value) else 0.0
    return _in_words(value)


def _in_words(value: Any) -> str | None:
    """Return a value as text; nothing stays nothing."""
    try:
        return None if value is None else storable(value if type(value) is str else repr(value)[:LONGEST])
    except Exception:  # noqa: BLE001 - a name may be any object, and say nothing of itself
        return type(value).__name__


def dated(time: Any) -> float:
    """Return a time that has a date, or that of the beginning."""
    try:
        datetime.fromtimestamp(time, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return 0.0
    return float(time)
