"""Several registries, each learned without some of the tasks, and the index that says which one never saw which task.

The index is a file beside the registries. It is data like a contract file, and names registries of its own folder alone.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import ContractError
from outcome_monitors.features.walk import task_name
from outcome_monitors.files import read_text, write_atomically
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.text import stable_hash
from outcome_monitors.model import Call, Json
from outcome_monitors.storage.address import shown
from outcome_monitors.storage.layout import CONTRACTS
from outcome_monitors.storage.opening import file_in, is_state

from .registry import (
    LARGEST_FILE,
    Registry,
    check_fields,
    from_document,
    is_whole,
    parse_document,
    require,
    require_version,
)

__all__ = ["FORMAT", "VERSION", "FoldIndex", "fold_of", "load_contracts", "load_one_registry"]

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
        document = parse_document(
            read_text(Path(path), LARGEST_FILE, "fold index"), str(path), "a fold index"
        )
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
    if is_state(path) and not file.exists():
        name = shown(path)
        raise ContractError(f"nothing was learned in {name} yet: it has no {CONTRACTS}; see `status {name}`")
    document = parse_document(read_text(file, LARGEST_FILE, "contract file"), str(file), "a contract file")
    return _index(document, file) if _is_index(document) else from_document(document, str(file))


def load_one_registry(path: str | Path) -> Registry:
    """Read contracts; refuse an index of folds, of which only `audit` knows what to do."""
    found = load_contracts(path)
    if isinstance(found, FoldIndex):
        raise ContractError(f"{path} is an index of folds; name a contract file")
    return found


def _is_index(document: Json) -> bool:
    return isinstance(document, dict) and document.get("format") == FORMAT


def _index(document: dict[str, Any], path: Path) -> FoldIndex:
    require_version(document, VERSION, str(path))
    check_fields(document, {"folds": int, "registries": list, "tasks": dict}, str(path))
    folds, registries, tasks = document["folds"], document["registries"], document["tasks"]
    require(
        all(isinstance(name, str) and name for name in registries),
        f"{path}: registries must be names of files",
    )
    require(
        folds == len(registries) and folds >= 2,
        f"{path}: folds must be the number of registries, at least 2, not {folds}",
    )
    for task, fold in tasks.items():
        if not is_whole(fold) or not 0 <= fold < folds:
            raise ContractError(f"{path}: task {clip(task)!r}: there is no fold {clip(fold)!r}")
    return FoldIndex(tuple(registries), tasks, path.parent)
