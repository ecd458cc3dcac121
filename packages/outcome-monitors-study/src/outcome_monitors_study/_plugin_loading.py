"""Environments and arms of one's own: named by their import path, `shop.Shop`, and loaded when that name is asked for."""

import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import OutcomeMonitorsError

from ._json import files_digest

OURS = __name__.partition(".")[0]


class PluginFault(OutcomeMonitorsError):  # noqa: N818 - the name says whose it is
    """A plugin's code raised: that costs an episode, and another try would end in the same way."""


@contextmanager
def plugin_errors(part: Any) -> Iterator[None]:
    """Describe in one sentence what a plugin's part raises; what our own parts raise is passed on as it is."""
    try:
        yield
    except OutcomeMonitorsError:
        raise
    except Exception as error:
        if part.__module__.partition(".")[0] == OURS:
            raise
        name = getattr(part, "__qualname__", type(part).__qualname__)
        raise PluginFault(f"{part.__module__}.{name} raised {_describe(error)}") from error


def plugin(path: str) -> Any:
    """Return what stands at an import path, from the working directory too; raise, in a sentence, where it can't be loaded."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    module, _, name = path.rpartition(".")
    try:
        return getattr(import_module(module), name)
    except (Exception, SystemExit) as error:
        raise OutcomeMonitorsError(f"{path} cannot be loaded: {_describe(error)}") from error


def plugin_digest(path: str) -> str:
    """Return the SHA-256 over all files of the package that a plugin is in; of a single module over its file."""
    root = _root(path.rpartition(".")[0])
    if root is None:
        raise OutcomeMonitorsError(f"{path} has no source files, so it cannot be frozen")
    files = root.rglob("*") if root.is_dir() else [root]
    kept = [file for file in files if file.is_file() and file.suffix != ".pyc"]
    return files_digest(root.parent, kept)


def _root(module: str) -> Path | None:
    """Return the outermost package that a module is in, folders without an `__init__` aside, or the module's own file."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        spec = find_spec(".".join(parts[:end]))
        if spec is not None and spec.origin is not None and Path(spec.origin).is_file():
            file = Path(spec.origin)
            return file if spec.submodule_search_locations is None else file.parent
    return None


def _describe(error: BaseException) -> str:
    """Return what was raised, in one line, and where."""
    said = " ".join(str(error).split())[:300]
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {said}{where}" if said else f"{type(error).__name__}{where}"
