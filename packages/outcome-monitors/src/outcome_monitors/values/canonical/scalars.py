"""Single values of Python, and what they stand for in JSON."""

import base64
import sys
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from enum import Enum
from typing import Any

__all__ = ["SINGLE", "MadeBy", "key_of", "number_of", "single"]

MadeBy = Callable[[Any], Any]

LONGEST_BYTES = 2**20
"""Bytes that are written as text."""
_UTC = "+00:00"


def number_of(value: Any) -> Any:
    """Return a number: whole where it is written without a fraction, as JSON readers have it; a `Fraction` never is."""
    whole = hasattr(value, "as_tuple") and value.is_finite() and value.as_tuple().exponent == 0
    return int(value) if whole else float(value)


def _moment(value: date | time) -> str | None:
    if type(value).__name__ == "NaTType":
        # What pandas has for a missing time is a time to Python.
        return None
    text = value.isoformat()
    return text[: -len(_UTC)] + "Z" if text.endswith(_UTC) else text


def _bytes(value: Any) -> str:
    held = bytes(value[: LONGEST_BYTES + 1])
    if len(held) > LONGEST_BYTES:
        return f"<{len(value)} bytes>"
    try:
        return held.decode()
    except UnicodeDecodeError:
        return base64.b64encode(held).decode()


# Called by the class, not by the value: a subclass may have put anything in its place.
SINGLE: tuple[tuple[type | tuple[type, ...], MadeBy], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    ((datetime, date, time), _moment),
    (timedelta, timedelta.total_seconds),
    ((bytes, bytearray, memoryview), _bytes),
)
"""A type, its subclasses with it, and what makes JSON of it; the first that fits counts."""
ELSEWHERE: tuple[tuple[str, tuple[str, ...], MadeBy], ...] = (
    ("decimal", ("Decimal",), number_of),
    ("fractions", ("Fraction",), number_of),
    ("uuid", ("UUID",), str),
    ("pathlib", ("PurePath",), str),
    ("ipaddress", ("IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network"), str),
)
"""The same of modules that are not loaded for it: before the host has loaded one, it can have no such value."""


def single(value: Any) -> tuple[Any] | None:
    """Return what a single value stands for, in a tuple; None where it is none that is known."""
    if isinstance(value, Enum):
        return single(value.value) if type(value.value) is not type(value) else None
    if value is None or type(value) is bool:
        return (value,)
    for known, make in SINGLE:
        if isinstance(value, known):
            return (make(value),)
    for module, names, make in ELSEWHERE:
        home = sys.modules.get(module)
        if home is not None and isinstance(value, tuple(getattr(home, name) for name in names)):
            return (make(value),)
    return None


def key_of(key: Any) -> str:
    """Return a key of an object as JSON writes it."""
    if type(key) is str:
        return key
    found = single(key)
    if found is None:
        return f"<{type(key).__name__}>" if not isinstance(key, Iterable) else _joined(key)
    (held,) = found
    if held is None or type(held) is bool:
        return {None: "null", True: "true", False: "false"}[held]
    return held if type(held) is str else repr(held)


def _joined(key: Any) -> str:
    """Write a key of several parts, as pandas has them."""
    return ", ".join(key_of(part) for part in key) if isinstance(key, tuple) else f"<{type(key).__name__}>"
