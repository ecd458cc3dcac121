"""Python's values that are no JSON: single ones, and objects that hold others, without asking what the host has not computed yet.

Nothing of numpy, pandas or pydantic is imported: a type tells by its module and its attributes what it is. Code of the host runs
where there is no other way (`model_dump`).
"""

import base64
from collections import deque
from collections.abc import Callable, Mapping, ValuesView
from dataclasses import fields
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import PurePath
from typing import Any
from uuid import UUID

__all__ = ["ITEMS", "Opaque", "key_of", "lifted", "single"]

LONGEST_BYTES = 2**20
"""Bytes that are written as text."""
_UTC = "+00:00"


def _number(value: Any) -> Any:
    """Return a number: whole where it is written without a fraction, as JSON readers have it; a `Fraction` never is."""
    whole = isinstance(value, Decimal) and value.is_finite() and value.as_tuple().exponent == 0
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
SINGLE: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    ((datetime, date, time), _moment),
    (timedelta, timedelta.total_seconds),
    ((bytes, bytearray, memoryview), _bytes),
    ((Decimal, Fraction), _number),
    ((UUID, PurePath, IPv4Address, IPv6Address, IPv4Network, IPv6Network), str),
)
"""A type, its subclasses with it, and what makes JSON of it; the first that fits counts."""


def single(value: Any) -> tuple[Any] | None:
    """Return what a single value stands for, in a tuple; None where it is none that is known."""
    if isinstance(value, Enum):
        return single(value.value) if type(value.value) is not type(value) else None
    if value is None or type(value) is bool:
        return (value,)
    return next(((make(value),) for known, make in SINGLE if isinstance(value, known)), None)


def key_of(key: Any) -> str:
    """Return a key of an object as JSON writes it; one of several parts as pandas has them."""
    found = single(key)
    if found is None:
        return ", ".join(map(key_of, key)) if isinstance(key, tuple) else f"<{type(key).__name__}>"
    (held,) = found
    if held is None or type(held) is bool:
        return {None: "null", True: "true", False: "false"}[held]
    return held if type(held) is str else repr(held)


MOST_CELLS = 100_000
"""Cells of a table that are converted."""


class Opaque(Exception):  # noqa: N818 - not an error: the value has no JSON form
    """The value cannot be made JSON, and why."""


ITEMS = (list, tuple, set, frozenset, deque, ValuesView)
"""What holds items; iterators do not: to look would use them up."""


def lifted(value: Any) -> Any:
    """Return what an object holds as something nearer to JSON; raise `Opaque` where there is no telling."""
    kind = type(value)
    if isinstance(value, type) or callable(getattr(kind, "__next__", None)):
        raise Opaque("it is no value")
    # A field that was never set is None.
    if hasattr(kind, "__dataclass_fields__"):
        return {field.name: getattr(value, field.name, None) for field in fields(value)}
    for names in ("__attrs_attrs__", "__struct_fields__"):
        listed = getattr(kind, names, None)
        if isinstance(listed, tuple):
            named = (str(getattr(field, "name", field)) for field in listed)
            return {name: getattr(value, name, None) for name in named}
    # Pydantic's models, of both majors, and what writes itself as they do.
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if hasattr(kind, "__fields__") and callable(getattr(value, "dict", None)):
        return value.dict()
    if kind.__name__ in ("SimpleNamespace", "Namespace", "Row", "Record", "RowMapping"):
        mapping = getattr(value, "_mapping", None)
        held = mapping if isinstance(mapping, Mapping) else getattr(value, "__dict__", None)
        if isinstance(held, Mapping):
            return dict(held)
    return _of_numbers(value, kind.__module__.partition(".")[0])


def _of_numbers(value: Any, package: str) -> Any:
    """Return what numpy's scalars and arrays hold, and what pandas, polars and pyarrow make of them."""
    if package == "pandas" and type(value).__name__ in ("NaTType", "NAType"):
        return None
    if package in ("numpy", "torch", "jax", "cupy"):
        return _cells(value, "tolist")
    if package in ("pandas", "polars", "pyarrow"):
        for method in ("to_dicts", "to_pylist", "to_list", "tolist"):
            if hasattr(value, method):
                return _cells(value, method)
        if hasattr(value, "to_dict"):
            return _cells(value, "to_dict", "records")
    raise Opaque("its type is not known")


def _cells(value: Any, method: str, *arguments: str) -> Any:
    size = getattr(value, "size", 0)
    if isinstance(size, int) and size > MOST_CELLS:
        raise Opaque(f"it has more than {MOST_CELLS:,} cells")
    found = getattr(value, method)(*arguments)
    # `datetime64` and a scalar of an odd type give themselves or an integer.
    is_time = type(value).__name__ in ("datetime64", "timedelta64")
    return str(value) if type(found) is type(value) or is_time else found
