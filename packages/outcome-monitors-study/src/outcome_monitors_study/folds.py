"""Several registries, each learned without some of the tasks, and the index that says which one never saw which task."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.files import read_json, write_atomically
from outcome_monitors.model import Json

FORMAT = "outcome-monitors/folds"
VERSION = 1


@dataclass(frozen=True, slots=True)
class FoldIndex:
    """Which registry never saw which task."""

    registries: tuple[str, ...]
    """The file of each fold's registry, beside the index."""
    tasks: Mapping[str, int] = field(default_factory=dict)
    """The fold that each task was left out of."""

    def save(self, path: Path) -> None:
        """Write the index: a line a task."""
        document: Json = {
            "format": FORMAT,
            "version": VERSION,
            "folds": len(self.registries),
            "registries": list(self.registries),
            "tasks": dict(sorted(self.tasks.items())),
        }
        write_atomically(path, json.dumps(document, indent=2) + "\n")


def load_index(path: Path) -> FoldIndex | None:
    """Read an index; None where the file holds contracts. A study's manifest knows the file by its digest."""
    document = read_json(path)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return None
    return FoldIndex(tuple(document["registries"]), document["tasks"])


def load_registries(folder: Path, index: FoldIndex) -> tuple[Registry, ...]:
    """Read the contracts of every fold, in order."""
    return tuple(Registry.load(folder / name) for name in index.registries)
