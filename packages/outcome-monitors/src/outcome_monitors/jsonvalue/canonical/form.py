"""From any object to its canonical form; most values are plain JSON already, and nothing else is to be done with them.

Nothing of numpy, pandas or pydantic is imported: a type tells by its module and its attributes what it is. Code of the host runs
where there is no other way (`model_dump`).
"""

import base64
import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping, ValuesView
from dataclasses import fields
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from itertools import islice
from pathlib import PurePath
from typing import Any, Final
from uuid import UUID

from outcome_monitors.jsonvalue.types import Hidden

from .texts import read_text
from .wrappers import TYPES, held_by, opened, printed_message

log = logging.getLogger("outcome_monitors")

MOST_LOGGED = 100
"""Types, and reasons why one could not be made JSON, that are logged in a process: each once."""
_logged: set[tuple[str, str]] = set()

SCALARS = frozenset((str, int, float, bool, type(None)))
_TEXTS = frozenset((str,))
PLAIN = SCALARS | {dict, list}
DEEPEST = 100
"""Levels that are looked at, or made JSON; what is nested deeper, a cycle for one, is not taken for plain."""
NOT_JSON: Final = object()
"""Stands for a result that is not JSON and cannot be made so."""
MOST_VALUES = 500_000
"""Values of one that is."""
MOST_WRAPPERS = 4
"""Wrappers in each other that are taken off."""


def is_plain(value: Any, levels: int = DEEPEST) -> bool:
    """Say whether a value is of plain dicts, lists, texts, numbers, booleans and None alone, to the last one."""
    kind = type(value)
    items: Collection[Any]
    if kind is dict:
        if not _TEXTS.issuperset(map(type, value)):
            return False
        items = value.values()
    elif kind is list:
        items = value
    else:
        return kind in SCALARS
    kinds = set(map(type, items))
    if kinds <= SCALARS:
        return True
    inner = [item for item in items if type(item) not in SCALARS]
    return levels > 0 and kinds <= PLAIN and all(is_plain(item, levels - 1) for item in inner)


def canonical(result: Any) -> Any:
    """Return the JSON that a result stands for, or `NOT_JSON`; what is plain, and no wrapper, stays the same object."""

    def make(value: Any) -> Any:
        value = _unwrapped(value)
        # A model may write itself as what a framework wraps results in.
        return value if is_plain(value) else _unwrapped(_made(value))

    return _safely(make, result)


def made_plain(value: Any) -> Any:
    """Return a value as plain JSON, or `NOT_JSON`; nothing is taken off, and no text is read."""
    return _safely(_made, value)


def arguments_of(arguments: Any) -> Mapping[str, Any]:
    """Return a call's arguments: an object, the text of one, or a model that holds one. Nothing is taken off them."""
    made = made_plain(read_text(arguments) if type(arguments) is str else arguments)
    return made if isinstance(made, dict) else {}


def _safely(make: Callable[[Any], Any], value: Any) -> Any:
    try:
        return make(value)
    except Exception as error:  # noqa: BLE001 - objects of the host may do anything
        _stand_in(type(value).__name__, f"it raised {type(error).__name__}")
        return NOT_JSON


def _stand_in(name: str, why: str) -> str:
    """Return the text that stands for what could not be made JSON, and log why."""
    if (name, why) not in _logged and len(_logged) < MOST_LOGGED:
        _logged.add((name, why))
        log.warning(
            "a %s in a result could not be made JSON (%s); the text <%s> stands for it", name, why, name
        )
    return f"<{name}>"


def _unwrapped(value: Any) -> Any:
    for _ in range(MOST_WRAPPERS):
        value, before = _held(value), value
        if value is before:
            break
    return value


def _held(value: Any) -> Any:
    """Return what a value holds, where it is a text that can be read or a wrapper; else the value itself."""
    kind = type(value)
    if kind is str:
        return read_text(printed_message(value))
    if kind is dict or kind is list:
        return opened(value)
    if kind in SCALARS:
        return value
    held = held_by(value)
    if held is not None:
        return held[0]
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (list, dict)):
        return value
    # A block of a framework that stands alone.
    sort, text = getattr(value, "type", None), getattr(value, "text", None)
    is_block = type(sort) is str and sort in TYPES and type(text) is str
    return {"type": "text", "text": text} if is_block else value


def _made(value: Any) -> Any:
    """Make JSON of a value; raise where it is too large."""
    if is_plain(value):
        return value
    maker = _Maker()
    made = maker.make(value, DEEPEST)
    return NOT_JSON if maker.opaque_root or maker.left <= 0 else made


class _Maker:
    """Makes JSON of one value, within bounds."""

    def __init__(self) -> None:
        self.left = MOST_VALUES
        self.opaque_root = False
        self._above: set[int] = set()
        """What stands around the value at hand: to meet it again is a cycle."""

    def make(self, value: Any, levels: int) -> Any:
        """Return what a value stands for; a text in its place where there is no telling."""
        if type(value) in SCALARS or isinstance(value, Hidden):
            return value
        if self.left <= 0:
            return None
        found = _single(value)
        if found is not None:
            return found[0]
        if not levels or id(value) in self._above:
            return _stand_in(type(value).__name__, "it holds itself" if levels else "it is nested too deeply")
        self._above.add(id(value))
        try:
            return self._container(value, levels - 1)
        except _Opaque as why:
            self.opaque_root |= levels == DEEPEST
            return _stand_in(type(value).__name__, str(why))
        finally:
            self._above.discard(id(value))

    def _container(self, value: Any, levels: int) -> Any:
        if isinstance(value, Mapping):
            # Listed within the bound: a mapping may have no end.
            keys = list(islice(iter(value), self.left))
            self.left -= len(keys)
            return {_key_of(key): self.make(value[key], levels) for key in keys}
        if isinstance(value, ITEMS):
            items = list(islice(iter(value), self.left))
            self.left -= len(items)
            made = [self.make(item, levels) for item in items]
            return sorted(made, key=repr) if isinstance(value, (set, frozenset)) else made
        try:
            inner = _lifted(value)
        except _Opaque:
            raise
        except Exception as error:  # noqa: BLE001 - objects of the host may do anything
            raise _Opaque(f"its conversion raised {type(error).__name__}") from None
        return self.make(inner, levels)


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


def _single(value: Any) -> tuple[Any] | None:
    """Return what a single value stands for, in a tuple; None where it is none that is known."""
    if isinstance(value, Enum):
        return _single(value.value) if type(value.value) is not type(value) else None
    if value is None or type(value) is bool:
        return (value,)
    return next(((make(value),) for known, make in SINGLE if isinstance(value, known)), None)


def _key_of(key: Any) -> str:
    """Return a key of an object as JSON writes it; one of several parts as pandas has them."""
    found = _single(key)
    if found is None:
        return ", ".join(map(_key_of, key)) if isinstance(key, tuple) else f"<{type(key).__name__}>"
    (held,) = found
    if held is None or type(held) is bool:
        return {None: "null", True: "true", False: "false"}[held]
    return held if type(held) is str else repr(held)


MOST_CELLS = 100_000
"""Cells of a table that are converted."""


class _Opaque(Exception):  # noqa: N818 - not an error: the value has no JSON form
    """The value cannot be made JSON, and why."""


ITEMS = (list, tuple, set, frozenset, deque, ValuesView)
"""What holds items; iterators do not: to look would use them up."""


def _lifted(value: Any) -> Any:
    """Return what an object holds as something nearer to JSON; raise `_Opaque` where there is no telling."""
    kind = type(value)
    if isinstance(value, type) or callable(getattr(kind, "__next__", None)):
        raise _Opaque("it is no value")
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
    raise _Opaque("its type is not known")


def _cells(value: Any, method: str, *arguments: str) -> Any:
    size = getattr(value, "size", 0)
    if isinstance(size, int) and size > MOST_CELLS:
        raise _Opaque(f"it has more than {MOST_CELLS:,} cells")
    found = getattr(value, method)(*arguments)
    # `datetime64` and a scalar of an odd type give themselves or an integer.
    is_time = type(value).__name__ in ("datetime64", "timedelta64")
    return str(value) if type(found) is type(value) or is_time else found
