"""Objects of Python that hold others: which fields or items they have, without asking what the host has not computed yet.

Nothing of numpy, pandas or pydantic is imported: a type tells by its module and its attributes what it is. Code of the host runs
where there is no other way (`model_dump`), the first time of each type in a thread of its own, which may take `PATIENCE` seconds.
"""

import threading
from collections import deque
from collections.abc import Callable, Mapping, ValuesView
from dataclasses import fields
from functools import partial
from itertools import islice
from typing import Any
from weakref import WeakSet

__all__ = ["Opaque", "items_of", "lifted"]

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
