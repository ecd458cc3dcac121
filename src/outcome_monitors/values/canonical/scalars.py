"""Single values of Python, and what they stand for in JSON."""

import base64
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import PurePath
from typing import Any
from uuid import UUID

__all__ = ["SINGLE", "MadeBy", "key_of", "number_of", "single"]

MadeBy = Callable[[Any], Any]

LONGEST_BYTES = 2**20
"""Bytes that are written as text."""
_UTC = "+00:00"


def number_of(value: Decimal | Fraction) -> Any:
    """Return a number: whole where it is written without a fraction, as JSON readers have it."""
    if isinstance(value, Decimal) and value.is_finite() and value.as_tuple().exponent == 0:
        return int(value)
    return float(value)


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
    ((Decimal, Fraction), number_of),
    ((datetime, date, time), _moment),
    (timedelta, timedelta.total_seconds),
    ((UUID, PurePath, IPv4Address, IPv6Address, IPv4Network, IPv6Network), str),
    ((bytes, bytearray, memoryview), _bytes),
)
"""A type, its subclasses with it, and what makes JSON of it; the first that fits counts."""


def single(value: Any) -> tuple[Any] | None:
    """Return what a single value stands for, in a tuple; None where it is none that is known."""
    if isinstance(value, Enum):
        return single(value.value) if type(value.value) is not type(value) else None
    if value is None or type(value) is bool:
        return (value,)
    for known, make in SINGLE:
        if isinstance(value, known):
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
