"""Several registries, each learned without some of the tasks, and the index that says which one never saw which task.

The index is a file beside the registries. It is data like a contract file, and names registries of its own folder alone.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from outcome_monitors.exceptions import ContractError, NewerContract
from outcome_monitors.model import Call, Json
from outcome_monitors.records.witness import task_name
from outcome_monitors.state.address import shown
from outcome_monitors.state.homes import file_in, is_home
from outcome_monitors.values.display import clip
from outcome_monitors.values.files import write_atomically
from outcome_monitors.values.folders import CONTRACTS
from outcome_monitors.values.hashing import stable_hash

from .registry import LARGEST_FILE, Registry

__all__ = ["FORMAT", "VERSION", "FoldIndex", "fold_of", "load_contracts"]

FORMAT = "outcome-monitors/folds"
VERSION = 1


@dataclass(frozen=True, slots=True)
class FoldIndex:
    """Which registry never saw which task."""

    registries: tuple[str, ...]
    """The file of each fold's registry, relative to the index."""
    tasks: Mapping[str, int] = field(default_factory=dict)
    """The fold that each task was left out of."""
    folder: Path = Path()
    """Where the index stands."""

    def knows(self, call: Call) -> bool:
        """Say whether the task of a call was among those learned from."""
        return task_name(call) in self.tasks

    def fold(self, call: Call) -> int:
        """Return the fold whose registry never saw the task of a call; of a new task, the fold it would have had."""
        return self.tasks[task_name(call)] if self.knows(call) else fold_of(call, len(self.registries))

    def file(self, fold: int) -> Path:
        """Return the contract file of a fold; raise ContractError where that is outside the index's folder."""
        path = self.folder / self.registries[fold]
        try:
            inside = path.resolve().is_relative_to(self.folder.resolve())
        except (ValueError, OSError, RuntimeError):  # no name at all, or a link that leads to itself
            inside = False
        if not inside:
            raise ContractError(
                f"registry {clip(self.registries[fold])!r} of the fold index is outside {self.folder};"
                " put it beside the index"
            )
        return path

    def load_registries(self) -> tuple[Registry, ...]:
        """Read the contracts of every fold, in order."""
        return tuple(Registry.load(self.file(fold)) for fold in range(len(self.registries)))

    def dumps(self) -> str:
        """Return the canonical text: a line a task."""
        document = {
            "format": FORMAT,
            "version": VERSION,
            "folds": len(self.registries),
            "registries": list(self.registries),
            "tasks": dict(sorted(self.tasks.items())),
        }
        return json.dumps(document, indent=2) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the index, whole or not at all."""
        write_atomically(path, self.dumps())

    @classmethod
    def load(cls, path: str | Path) -> "FoldIndex":
        """Read an index; raise ContractError, naming the field, where it cannot be used."""
        document = _document(_text(Path(path)), path)
        if not _is_index(document):
            raise ContractError(
                f'{path} is not a fold index: it has no "format": "{FORMAT}"; write one with mine --folds'
            )
        return _index(document, Path(path))


def fold_of(call: Call, folds: int) -> int:
    """Return the fold of a call: that of its task, so that no task is ever split."""
    return stable_hash(task_name(call)) % folds


def load_contracts(path: str | Path) -> Registry | FoldIndex:
    """Read a file that holds either contracts or a fold index; of a folder that something is learned in, its contracts."""
    file = file_in(path, CONTRACTS)
    if is_home(path) and not file.exists():
        name = shown(path)
        raise ContractError(f"nothing was learned in {name} yet: it has no {CONTRACTS}; see `status {name}`")
    text = _text(file)
    document = _document(text, file)
    return _index(document, file) if _is_index(document) else Registry.loads(text, str(file))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise ContractError(f"{path} is larger than {LARGEST_FILE // 2**20} MiB: no contract file is")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ContractError(
            f"{path} cannot be read: {error.strerror or error}; write it with `mine -o`"
        ) from None
    except UnicodeDecodeError as error:
        raise ContractError(
            f"{path} is not UTF-8 (byte {error.start}), so it is not a contract file"
        ) from None


def _document(text: str, name: str | Path) -> Json:
    try:
        return json.loads(text)
    except RecursionError:
        raise ContractError(f"{name} is nested too deeply to be a contract file") from None
    except ValueError as error:
        raise ContractError(f"{name} is not JSON: {error}; was it written by `mine`?") from None


def _is_index(document: Json) -> bool:
    return isinstance(document, dict) and document.get("format") == FORMAT


def _index(document: dict[str, Json], path: Path) -> FoldIndex:
    version = document.get("version")
    if not _whole(version) or version < 1:
        raise ContractError(f"{path}: version cannot be {clip(version)!r}")
    if version > VERSION:
        raise NewerContract(
            f"{path} is of version {version}, and this release reads up to {VERSION}: pip install -U outcome-monitors"
        )
    folds, registries, tasks = (document.get(name) for name in ("folds", "registries", "tasks"))
    if not isinstance(registries, list) or not all(isinstance(name, str) and name for name in registries):
        raise ContractError(f"{path}: registries must be a list of file names")
    if not _whole(folds) or folds != len(registries) or folds < 2:
        raise ContractError(
            f"{path}: folds must be the number of registries, at least 2, not {clip(folds)!r}"
        )
    if not isinstance(tasks, dict):
        raise ContractError(f"{path}: tasks must be an object, not {clip(tasks)!r}")
    for task, fold in tasks.items():
        if not _whole(fold) or not 0 <= fold < folds:
            raise ContractError(f"{path}: task {clip(task)!r}: there is no fold {clip(fold)!r}")
    return FoldIndex(tuple(registries), tasks, path.parent)


def _whole(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
