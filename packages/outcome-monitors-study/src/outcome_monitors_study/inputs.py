"""What the arms of a study go by: contracts, relations and schemas, learned without its tasks and kept in its folder.

With folds there are several registries, each learned without some of the tasks; a task is held against one that never saw it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.features.walk import fold_of
from outcome_monitors.files import read_json, write_atomically
from outcome_monitors.model import Call, Json
from outcome_monitors.recovery.relations import Relations

from ._json import code_digest, digest, file_digest
from ._plugin_loading import plugin_digest, plugin_errors
from .arms import ARMS
from .design import Design, system_prompt
from .environments import ENVIRONMENTS
from .environments.environment import Cell, Environment
from .folds import Construction, crossfit

CONTRACTS, RELATIONS, SCHEMAS = "contracts.json", "relations.json", "schemas.json"
"""The files of a study's folder that its manifest knows by their content; the first may be an index of folds."""
RegistryOf = Callable[[str], Registry]
"""The contracts that a task's results are held against."""


def write_inputs(
    folder: Path, place: Environment, cells: Sequence[Cell], design: Design
) -> tuple[int, Construction | None]:
    """Learn or take what a study goes by, write it to its folder, and return in how many folds and from what."""
    known = place.relations() if design.relations is None else Relations.load(design.relations)
    known.save(folder / RELATIONS)
    place.schema_contracts().save(folder / SCHEMAS)
    tasks, profile = frozenset(cell.task for cell in cells), design.profile
    taken = place.contracts(tasks, profile) if design.contracts is None else load_contracts(design.contracts)
    if taken is not None:
        taken.save(folder / CONTRACTS)
        return 1, None
    number = design.folds or (5 if profile == "paper" else 1)
    levels = {place.level(task) for task in tasks}
    learned = crossfit(place.clean_calls(frozenset()), place.level, levels, number, profile, tasks)
    names = tuple(f"contracts.{fold}.json" for fold in range(number)) if number > 1 else (CONTRACTS,)
    for name, mined in zip(names, learned.mined, strict=True):
        mined.registry.save(folder / name)
    if number > 1:
        index = {"registries": names, "tasks": dict(sorted(learned.tasks.items()))}
        write_atomically(folder / CONTRACTS, json.dumps(index, indent=2) + "\n")
    return number, learned.construction


def registry_of(folder: Path) -> RegistryOf:
    """Return what gives the contracts of a task: one registry for all, or that of the task's fold."""
    index = fold_index(folder)
    if index is None:
        found = Registry.load(folder / CONTRACTS)
        return lambda _: found
    registries, known = [Registry.load(folder / name) for name in index["registries"]], index["tasks"]
    return lambda task: registries[
        known[task] if task in known else fold_of(Call("", {}, None, task=task), len(registries))
    ]


def fold_index(folder: Path) -> dict[str, Json] | None:
    """Return the registries of a study's folds, and the fold that each task was left out of; None where there is one for all."""
    document = read_json(folder / CONTRACTS)
    return document if isinstance(document, dict) and "registries" in document else None


def plugins_of(where: str, arms: Iterable[str]) -> list[tuple[str, str]]:
    """Return the plugins of a study, by what they are and their import paths: their code is frozen as ours is."""
    found = [] if where in ENVIRONMENTS else [("environment", where)]
    return [*found, *(("arm", name) for name in arms if name not in ARMS)]


def hashes(
    folder: Path,
    place: Environment,
    cells: Sequence[Cell],
    plugins: Iterable[tuple[str, str]],
    settings: Mapping[str, Json],
) -> dict[str, str]:
    """Return the digest of all that a study rests on."""
    try:
        files = {name: file_digest(folder / name) for name in _files(folder)}
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot read {error.filename}: {error.strerror}") from error
    others = {f"{kind} {name}": plugin_digest(name) for kind, name in plugins}
    with plugin_errors(place):
        return {
            **files,
            "tasks": place.fingerprint(cells),
            "tools": digest(place.specs()),
            "system prompt": digest(system_prompt(settings, place)),
            "code": code_digest(),
            **others,
        }


def _files(folder: Path) -> Iterable[str]:
    index = fold_index(folder) if (folder / CONTRACTS).exists() else None
    return (CONTRACTS, *(index["registries"] if index else ()), RELATIONS, SCHEMAS)
