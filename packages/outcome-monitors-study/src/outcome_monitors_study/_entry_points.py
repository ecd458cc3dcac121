"""Environments, arms and judges of other distributions: found by the name of an entry point, loaded when that name is asked for."""

import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from outcome_monitors.exceptions import OutcomeMonitorsError

from ._json import files_digest

Kind = Literal["environment", "arm", "judge"]
"""What a plugin is; the group of its entry point is `outcome_monitors.` and the plural."""
OURS = __name__.partition(".")[0]
GROUP = "outcome_monitors"


class PluginFault(OutcomeMonitorsError):  # noqa: N818 - the name says whose it is
    """Code of another distribution raised: that costs an episode, and another try would end in the same way."""


@contextmanager
def plugin_errors(part: Any) -> Iterator[None]:
    """Describe in one sentence what a part of another distribution raises; what our own parts raise is passed on as it is."""
    try:
        yield
    except OutcomeMonitorsError:
        raise
    except Exception as error:
        if part.__module__.partition(".")[0] == OURS:
            raise
        name = getattr(part, "__qualname__", type(part).__qualname__)
        raise PluginFault(f"{part.__module__}.{name} raised {_describe(error)}") from error


def plugin_names(kind: Kind) -> list[str]:
    """Return the names under which other distributions offer something of a kind."""
    return sorted({entry.name for entry in _entries(kind, tuple(sys.path))})


def plugin(kind: Kind, name: str) -> Any:
    """Load what a name stands for; raise, in a sentence, where nobody or everybody offers it, or it cannot be loaded."""
    entry = _entry(kind, name)
    try:
        return entry.load()
    except (Exception, SystemExit) as error:
        raise OutcomeMonitorsError(f"{_named(kind, entry)} cannot be loaded: {_describe(error)}") from error


def plugin_digest(kind: Kind, name: str) -> str:
    """Return the SHA-256 over all files of the package that a plugin is in; of a single module over its file."""
    entry = _entry(kind, name)
    root = _root(entry.module)
    if root is None:
        raise OutcomeMonitorsError(f"{_named(kind, entry)} has no source files, so it cannot be frozen")
    files = root.rglob("*") if root.is_dir() else [root]
    kept = [file for file in files if file.is_file() and file.suffix != ".pyc"]
    return files_digest(root.parent, kept)


def plugin_versions(plugins: Iterable[tuple[Kind, str]]) -> dict[str, str]:
    """Return the distributions that plugins are of, and their versions."""
    found = [_entry(kind, name).dist for kind, name in plugins]
    return {dist.name: dist.version for dist in found if dist is not None}


@cache
def _entries(kind: Kind, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:  # noqa: ARG001 - another path has others
    """Return all entry points of a kind; reading them takes longer than an episode."""
    return tuple(entry_points(group=f"{GROUP}.{kind}s"))


def _entry(kind: Kind, name: str) -> EntryPoint:
    found = {entry.value: entry for entry in _entries(kind, tuple(sys.path)) if entry.name == name}
    if not found:
        raise OutcomeMonitorsError(
            f"there is no {kind} {name!r}, and no installed distribution has an entry point of that name"
            f" in {GROUP}.{kind}s"
        )
    if len(found) > 1:
        several = " and ".join(_named(kind, entry) for entry in found.values())
        raise OutcomeMonitorsError(f"{several} have the same name; uninstall one of them")
    return next(iter(found.values()))


def _named(kind: Kind, entry: EntryPoint) -> str:
    dist = "an unknown distribution" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
    return f"{kind} {entry.name!r} (entry point {entry.value} of {dist})"


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
