"""Names that are imported when they are first asked for, so that whoever needs one does not load them all.

Those of a package come by its `__getattr__`, those that a module calls by stand-ins. In both places an import `if TYPE_CHECKING` says
the same to type checkers, and to the order of the packages.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["imported_late", "is_loading", "late"]

_loading: list[str] = []
"""What is being loaded in the place of a stand-in."""


def imported_late(package: str, modules: Mapping[str, str], name: str) -> Any:
    """Return a name of a package, which from then on has it; `modules` says where each comes from."""
    if name not in modules:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    found = getattr(import_module(modules[name], package), name)
    setattr(sys.modules[package], name, found)
    return found


def late(room: dict[str, Any], module: str, *names: str) -> None:
    """Put stand-ins for functions and classes of a module into the globals of another.

    The first that is called loads the module and puts all that they stand for in their place, so from the second call on nothing
    is left of them.
    """

    def load() -> None:
        _loading.append(module)
        try:
            found = import_module(module, room["__package__"])
            room.update({name: getattr(found, name) for name in names})
        finally:
            _loading.pop()

    room.update({name: _stand_in(room, name, load) for name in names})


def is_loading() -> bool:
    """Say whether a module is being loaded in the place of a stand-in: who cuts work short waits for that."""
    return bool(_loading)


def _stand_in(room: dict[str, Any], name: str, load: Callable[[], None]) -> Callable[..., Any]:
    def first(*given: Any, **options: Any) -> Any:
        load()
        return room[name](*given, **options)

    return first
