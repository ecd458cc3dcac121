"""`dataclass`, `field` and `replace` as `dataclasses` has them, for the classes that every start makes.

The standard library compiles six functions for each class, and loads `inspect`, `ast` and `dis` before the first: a third of the time
that the import of a monitor took. Here one function is compiled, the others are shared, and `dataclasses` itself is loaded only where
somebody asks it about such a class: `fields`, `asdict` and `is_dataclass` answer as ever. Type checkers are shown the originals.

What is made here: frozen or not, with slots or without, of fields that may have a default or a factory. No field is inherited.
"""

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

__all__ = ["dataclass", "field", "replace"]

_Class = TypeVar("_Class", bound=type)
_Data = TypeVar("_Data")
_NOT_GIVEN: Any = object()


class _Factory:
    """The default of a field that every object has its own of."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make


def _field(*, default_factory: Callable[[], Any]) -> Any:
    """Say how a field's default is made."""
    return _Factory(default_factory)


def _replace(data: _Data, /, **changes: Any) -> _Data:
    """Return the same with other values; of any dataclass."""
    made: Any = data.__class__
    if not hasattr(made, "__field_names__"):
        from dataclasses import replace  # noqa: PLC0415 - who has made it has loaded that

        return replace(data, **changes)  # type: ignore[type-var]  # as its caller says
    for name in made.__field_names__:
        if name not in changes:
            changes[name] = getattr(data, name)
    return cast("_Data", made(**changes))


def _dataclass(
    *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[_Class], _Class]:
    """Return what makes a class one of data."""
    return lambda plain: _made(plain, frozen, slots, kw_only)


def _made(plain: _Class, frozen: bool, slots: bool, kw_only: bool) -> _Class:
    types = plain.__annotations__
    names = tuple(types)
    defaults = {name: plain.__dict__[name] for name in names if name in plain.__dict__}
    twin = cache(lambda: _twin(types, defaults, frozen, kw_only))
    methods = {
        "__field_names__": names,
        "__match_args__": () if kw_only else names,
        "__init__": _init(plain, types, defaults, frozen, kw_only),
        "__repr__": _repr,
        "__eq__": _equal(names),
        "__replace__": _replace,
        "__dataclass_fields__": _LateTwin("__dataclass_fields__", twin),
        "__dataclass_params__": _LateTwin("__dataclass_params__", twin),
        "__hash__": _hash(names) if frozen else None,
        **(_KEPT if frozen and slots else {}),
    }
    methods = {name: method for name, method in methods.items() if name not in plain.__dict__}
    made = _with_slots(plain, names, methods) if slots else _without(plain, defaults, methods)
    if frozen:
        for method, what in (("__setattr__", "assign to"), ("__delattr__", "delete")):
            setattr(made, method, _guard(made, names, what))
    return made


def _with_slots(plain: _Class, names: tuple[str, ...], methods: dict[str, Any]) -> _Class:
    """Make the class anew: slots cannot be given to one that is."""
    dropped = {*names, "__dict__", "__weakref__"}
    body = {name: value for name, value in plain.__dict__.items() if name not in dropped}
    made = type(plain)(plain.__name__, plain.__bases__, {**body, **methods, "__slots__": names})
    made.__qualname__ = plain.__qualname__
    return made


def _without(plain: _Class, defaults: dict[str, Any], methods: dict[str, Any]) -> _Class:
    for name, default in defaults.items():
        if isinstance(default, _Factory):
            delattr(plain, name)
    for name, method in methods.items():
        setattr(plain, name, method)
    return plain


def _init(plain: type, types: dict[str, Any], defaults: dict[str, Any], frozen: bool, kw_only: bool) -> Any:
    """Compile the one function that is worth it: objects are made more often than anything is done with them."""
    room: dict[str, Any] = {
        "_set": object.__setattr__,
        "_NOT_GIVEN": _NOT_GIVEN,
        "__name__": plain.__module__,
    }
    taken, lines = ["self", "*"] if kw_only else ["self"], []
    for number, name in enumerate(types):
        default, value = defaults.get(name, _NOT_GIVEN), name
        if isinstance(default, _Factory):
            room[f"_{number}"], value = default.make, f"_{number}() if {name} is _NOT_GIVEN else {name}"
            taken.append(f"{name}=_NOT_GIVEN")
        elif default is not _NOT_GIVEN:
            room[f"_{number}"] = default
            taken.append(f"{name}=_{number}")
        else:
            taken.append(name)
        lines.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    if hasattr(plain, "__post_init__"):
        lines.append(" self.__post_init__()")
    exec("\n".join([f"def __init__({', '.join(taken)}):", *lines]), room)  # noqa: S102 - field names of our own classes
    made = room["__init__"]
    made.__qualname__ = f"{plain.__qualname__}.__init__"
    made.__annotations__ = {**types, "return": None}
    return made


def _repr(data: Any) -> str:
    shown = [f"{name}={getattr(data, name)!r}" for name in data.__field_names__]
    return f"{data.__class__.__qualname__}({', '.join(shown)})"


def _values(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda data: (get(data),)


def _equal(names: tuple[str, ...]) -> Any:
    values = _values(names)

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807 - it becomes the method of that name
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(names: tuple[str, ...]) -> Any:
    values = _values(names)
    return lambda self: hash(values(self))


def _guard(made: type, names: tuple[str, ...], what: str) -> Any:
    """Return what refuses to change a field; subclasses may have others."""
    otherwise = object.__setattr__ if what == "assign to" else object.__delattr__

    def refuse(self: Any, name: str, *value: Any) -> None:
        if type(self) is made or name in names:
            _refused(f"cannot {what} field {name!r}")
        otherwise(self, name, *value)

    return refuse


def _refused(words: str) -> NoReturn:
    from dataclasses import FrozenInstanceError  # noqa: PLC0415 - a slip of a program's writer

    raise FrozenInstanceError(words)


def _kept(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__field_names__]


def _restored(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__field_names__, state, strict=True):
        object.__setattr__(self, name, value)


_KEPT = {"__getstate__": _kept, "__setstate__": _restored}
"""Pickling, which would else set attributes that cannot be set."""


class _LateTwin:
    """What `dataclasses` looks for on a class: made, by it, when it does."""

    def __init__(self, name: str, twin: Callable[[], type]) -> None:
        self._name, self._twin = name, twin

    def __get__(self, data: object, owner: type) -> Any:
        return getattr(self._twin(), self._name)


def _twin(types: dict[str, Any], defaults: dict[str, Any], frozen: bool, kw_only: bool) -> type:
    """Return a class of the same fields as `dataclasses` makes it."""
    import dataclasses  # noqa: PLC0415 - the point of this module

    body: dict[str, Any] = {"__annotations__": types}
    for name, default in defaults.items():
        made = isinstance(default, _Factory)
        body[name] = dataclasses.field(default_factory=default.make) if made else default
    return dataclasses.dataclass(frozen=frozen, kw_only=kw_only)(type("Twin", (), body))


if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:
    dataclass, field, replace = _dataclass, _field, _replace
