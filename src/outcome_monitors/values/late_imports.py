"""Names of a package that are imported when they are first asked for, so that whoever needs one does not load them all."""

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

__all__ = ["imported_late"]


def imported_late(package: str, modules: Mapping[str, str], name: str) -> Any:
    """Return a name of a package, which from then on has it; `modules` says where each comes from."""
    if name not in modules:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    found = getattr(import_module(modules[name], package), name)
    setattr(sys.modules[package], name, found)
    return found
