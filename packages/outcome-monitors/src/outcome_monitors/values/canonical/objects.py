"""Python's values that are no JSON: single ones, and objects that hold others, without asking what the host has not computed yet.

Nothing of numpy, pandas or pydantic is imported: a type tells by its module and its attributes what it is. Code of the host runs
where there is no other way (`model_dump`), the first time of each type in a thread of its own, which may take `PATIENCE` seconds.
"""

import base64
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, ValuesView
from dataclasses import fields
from datetime import date, datetime, time, timedelta
from enum import Enum
from functools import partial
from itertools import islice
from typing import Any
from weakref import WeakSet

__all__ = ["SINGLE", "MadeBy", "Opaque", "items_of", "key_of", "lifted", "number_of", "single"]

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


PATIENCE = 1.0
"""Seconds that the first conversion of a type may take."""
MOST_ROWS = 100_000
"""Cells of a table that are converted."""


class Opaque(Exception):  # noqa: N818 - not an error: the value has no JSON form
    """The value cannot be made JSON, and why."""


ITEMS = (list, tuple, set, frozenset, deque, ValuesView)
_trusted: WeakSet[type] = WeakSet()
_distrusted: WeakSet[type] = WeakSet()


def items_of(value: Any, most: int) -> list[Any] | None:
    """Return the items of what holds items, `most` of them; None of all else. Iterators are none: to look would use them up."""
    return list(islice(iter(value), most)) if isinstance(value, ITEMS) else None


def lifted(value: Any) -> Any:
    """Return what an object holds as something nearer to JSON; raise `Opaque` where there is no telling."""
    kind = type(value)
    if isinstance(value, type) or callable(getattr(kind, "__next__", None)):
        raise Opaque("it is no value")
    if hasattr(kind, "__dataclass_fields__"):
        return {field.name: _held(value, field.name) for field in fields(value)}
    for names in ("__attrs_attrs__", "__struct_fields__"):
        listed = getattr(kind, names, None)
        if isinstance(listed, tuple):
            return {
                name: _held(value, name) for name in (str(getattr(field, "name", field)) for field in listed)
            }
    for make in (_model, _of_numbers, _namespace):
        found = make(value)
        if found is not None:
            return found()
    raise Opaque("its type is not known")


def _held(value: Any, name: str) -> Any:
    """Return a field; one that was never set is None."""
    return getattr(value, name, None)


def _model(value: Any) -> Callable[[], Any] | None:
    """Pydantic's models, of both majors, and what writes itself as they do."""
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return lambda: _within_patience(type(value), partial(dump, mode="json"))
    if hasattr(type(value), "__fields__") and callable(getattr(value, "dict", None)):
        return lambda: _within_patience(type(value), value.dict)
    return None


def _of_numbers(value: Any) -> Callable[[], Any] | None:
    """Numpy's scalars and arrays, and what pandas, polars and pyarrow make of them."""
    home = type(value).__module__.partition(".")[0]
    if home == "pandas" and type(value).__name__ in ("NaTType", "NAType"):
        return lambda: None
    if home in ("numpy", "torch", "jax", "cupy"):
        return lambda: _cells(value, "tolist")
    if home in ("pandas", "polars", "pyarrow"):
        rows = next(
            (name for name in ("to_dicts", "to_pylist", "to_list", "tolist") if hasattr(value, name)), None
        )
        if rows is not None:
            return lambda: _cells(value, rows)
        if hasattr(value, "to_dict"):
            return lambda: _cells(value, "to_dict", "records")
    return None


def _cells(value: Any, method: str, *arguments: str) -> Any:
    size = getattr(value, "size", 0)
    if isinstance(size, int) and size > MOST_ROWS:
        raise Opaque(f"it has more than {MOST_ROWS:,} cells")
    found = getattr(value, method)(*arguments)
    # `datetime64` and a scalar of an odd type give themselves or an integer.
    return str(value) if type(found) is type(value) or _is_time(value) else found


def _is_time(value: Any) -> bool:
    return type(value).__name__ in ("datetime64", "timedelta64")


def _namespace(value: Any) -> Callable[[], Any] | None:
    if type(value).__name__ in ("SimpleNamespace", "Namespace", "Row", "Record", "RowMapping"):
        mapping = getattr(value, "_mapping", None)
        held = mapping if isinstance(mapping, Mapping) else getattr(value, "__dict__", None)
        return (lambda: dict(held)) if isinstance(held, Mapping) else None
    return None


def _within_patience(kind: type, work: Callable[[], Any]) -> Any:
    """Run code of the host; that of a type that was never seen, in a thread that is waited for no longer than patience lasts."""
    if kind in _distrusted:
        raise Opaque("its conversion did not end")
    if kind in _trusted:
        return work()
    found: list[Any] = []
    thread = threading.Thread(
        target=_caught, args=(work, found), daemon=True, name="outcome-monitors conversion"
    )
    thread.start()
    thread.join(PATIENCE)
    if not found:
        _distrusted.add(kind)
        raise Opaque("its conversion did not end")
    if isinstance(found[0], _Raised):
        raise Opaque(f"its conversion raised {found[0].name}")
    _trusted.add(kind)
    return found[0]


class _Raised:
    def __init__(self, name: str) -> None:
        self.name = name


def _caught(work: Callable[[], Any], found: list[Any]) -> None:
    try:
        found.append(work())
    except BaseException as error:  # noqa: BLE001 - code of the host, in a thread of ours
        found.append(_Raised(type(error).__name__))
