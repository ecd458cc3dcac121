"""The manifest: all that a study is, fixed before any outcome is seen, and held to afterwards."""

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.files import write_atomically
from outcome_monitors.model import Json
from outcome_monitors.recovery.relations import Relations

from ._json import digest
from ._ledger import read_ledger, seal_anew, sealed
from ._plugin_loading import plugin_errors
from .design import (
    Design,
    contrasts_of,
    endpoint_of,
    paid_models,
    refuse_design,
    sampled,
    versions,
    wanted,
)
from .environments import environment
from .environments.environment import Cell, Environment
from .inputs import RELATIONS, hashes, plugins_of, write_inputs
from .prices import prices_for
from .scripted import is_scripted, refuse_scripts
from .sent import sent_to

VERSION = 4
INVALIDATED = "invalidated"


class Planned(NamedTuple):
    """An episode that is to be run."""

    cell: Cell
    agent: str
    arm: str
    repeat: int = 0
    """Which of several runs of the same."""

    @property
    def name(self) -> str:
        """What the ledger calls it."""
        again = f"#{self.repeat + 1}" if self.repeat else ""
        return f"{self.cell.id}|{self.agent}|{self.arm}{again}"


@dataclass(frozen=True, slots=True)
class Study:
    """A frozen study, as its manifest says."""

    folder: Path
    manifest: Mapping[str, Json]

    @property
    def cells(self) -> list[Cell]:
        """The sampled cells."""
        return [Cell(**cell) for cell in self.manifest["cells"]]

    @property
    def ledger(self) -> Path:
        """Where its episodes are."""
        return self.folder / "ledger.jsonl"

    @property
    def failures(self) -> Path:
        """Where the tries are that an endpoint broke off."""
        return self.folder / "failures.jsonl"

    @property
    def plugins(self) -> list[tuple[str, str]]:
        """Its plugins, by what they are and their import paths."""
        return plugins_of(self.manifest["environment"]["environment"], self.manifest["arms"])

    def is_clean(self, stratum: str) -> bool:
        """Say whether nothing is injected in a stratum."""
        return stratum in self.manifest["clean"]

    @property
    def status(self) -> str:
        """What its figures are worth: as it was frozen, unless outcomes had been seen when it was amended, or it is invalidated."""
        if self.invalidated:
            return INVALIDATED
        late = any(entry["episodes seen"] for entry in self.manifest["amendments"])
        label = str(self.manifest["status"])
        return "retrospective" if late and label == "frozen" else label

    @property
    def invalidated(self) -> str:
        """Why its figures are not reported; empty where they are."""
        entries = self.manifest["amendments"]
        return next((entry["reason"] for entry in entries if entry.get(INVALIDATED)), "")

    @property
    def repeats(self) -> int:
        """How often each episode is run."""
        return int(self.manifest["sampling"].get("repeats", 1))

    @property
    def faulted(self) -> bool:
        """Say whether there are strata with a fault: the primary contrast is on those."""
        return not all(self.is_clean(cell.stratum) for cell in self.cells)

    @property
    def unpriced(self) -> list[str]:
        """Its models whose price nobody knows."""
        settings = self.manifest["settings"]
        return [
            model
            for model in paid_models(self.manifest["agents"], settings)
            if model not in settings.get("prices", {})
        ]

    def episodes(self) -> Iterator[Planned]:
        """Yield all episodes in the order of their run: cells shuffled, and the arms of each cell side by side, shuffled."""
        rng = random.Random(f"{self.manifest['sampling']['seed']}/order")  # noqa: S311 - an order, not a secret
        cells = self.cells
        rng.shuffle(cells)
        for cell in cells:
            arms = self.manifest["clean arms" if self.is_clean(cell.stratum) else "arms"]
            group = [
                Planned(cell, agent, arm, repeat)
                for agent in self.manifest["agents"]
                for arm in arms
                for repeat in range(self.repeats)
            ]
            rng.shuffle(group)
            yield from group


def freeze(folder: Path, design: Design, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Study:
    """Sample, learn contracts from other tasks, and write all of it down."""
    if (folder / "manifest.json").exists():
        raise OutcomeMonitorsError(
            f"{folder} holds a frozen study; take another folder, or disclose with amend"
        )
    refuse_design(design)
    models = paid_models(design.agents, design.settings)
    prices = prices_for(models, design.settings.get("prices", {}))
    place, counts = environment(design.environment), wanted(design.strata, design.per_stratum)
    others = [load(other) for other in design.without]
    taken = None if design.tasks_of is None else load(design.tasks_of)
    repeats = {"repeats": design.repeats} if design.repeats > 1 else {}
    had = frozenset(cell.task for other in others for cell in other.cells)
    cells = sampled(place, counts, design.seed, had, taken.cells if taken else ())
    if taken:
        counts = dict(Counter(cell.stratum for cell in cells))
    if any(map(is_scripted, design.agents)):
        with plugin_errors(place):
            refuse_scripts(place.open(cells[0]))
    sent = sent_to(models, {"temperature": 0, **design.settings})
    folder.mkdir(parents=True, exist_ok=True)
    with plugin_errors(place):
        folds, construction = write_inputs(folder, place, cells, design)
    plugins = plugins_of(place.settings["environment"], design.arms)
    manifest: dict[str, Json] = {
        "version": VERSION,
        "status": design.status,
        "registered": design.registered,
        "frozen": {
            "time": now().isoformat(timespec="seconds"),
            "versions": versions(models),
        },
        "environment": place.settings,
        "agents": list(design.agents),
        "scripted": all(map(is_scripted, design.agents)),
        "arms": list(design.arms),
        "clean arms": list(design.clean_arms or design.arms),
        "sampling": {
            "seed": design.seed,
            "strata": counts,
            "without": [_reference_to(other) for other in others],
            "tasks of": taken and _reference_to(taken),
            **repeats,
        },
        "clean": [stratum for stratum in counts if place.is_clean(stratum)],
        "cells": [cell._asdict() for cell in cells],
        "settings": {
            "profile": design.profile,
            "folds": folds,
            "temperature": 0,
            "most_steps": 25,
            **design.settings,
            "prices": prices,
        },
        "sent": sent,
        "leaks": _leaks(place, Relations.load(folder / RELATIONS)),
        "construction": None if construction is None else construction._asdict(),
        "endpoint": endpoint_of(design, place, counts),
        "contrasts": contrasts_of(design),
        "analysis": {
            "within an agent": "two-sided exact McNemar",
            "over agents": "task-clustered sign-flip, task-cluster bootstrap",
            "resamples": 200_000,
            "seed": design.seed,
            "level": 0.95,
            "distinctive": design.distinctive or (8 if design.profile == "paper" else 4),
        },
        "hashes": hashes(folder, place, cells, plugins, design.settings),
        "amendments": [],
    }
    return _save(folder, manifest)


def _leaks(place: Environment, relations: Relations) -> dict[str, int]:
    """Count the tools that name a substitute in their description: there an arm without a list would have it all the same."""
    specs = place.specs()
    named = sum(
        any(each.tool in (spec.get("description") or "") for each in relations.get(spec["name"], ()))
        for spec in specs
    )
    return {"tools": len(specs), "naming a substitute": named}


def _reference_to(other: Study) -> dict[str, Json]:
    """Say of another study which it is, and how many of its outcomes were known."""
    tasks, seen = len({cell.task for cell in other.cells}), len(read_ledger(other.ledger))
    return {"study": other.manifest["digest"], "tasks": tasks, "episodes seen": seen}


def load(folder: Path) -> Study:
    """Read a study's manifest; raise where it was edited by hand."""
    study = _read(folder)
    manifest = dict(study.manifest)
    if manifest.pop("digest", None) != digest(manifest):
        raise OutcomeMonitorsError(
            f"{folder / 'manifest.json'} is not as it was frozen; undo the edit, or disclose it with study amend"
        )
    return study


def verified(study: Study) -> Environment:
    """Return the study's environment; raise where anything differs from what was frozen."""
    refuse_invalidated(study)
    place = environment(study.manifest["environment"])
    frozen = study.manifest["hashes"]
    now = hashes(study.folder, place, study.cells, study.plugins, study.manifest["settings"])
    changed = [name for name in frozen if now.get(name) != frozen[name]]
    if changed:
        raise OutcomeMonitorsError(
            f"the study is frozen, and this differs: {', '.join(changed)}; restore it, or disclose it with study amend"
        )
    return place


def refuse_invalidated(study: Study) -> None:
    """Raise where a study is invalidated."""
    if study.invalidated:
        raise OutcomeMonitorsError(
            f"{study.folder} is invalidated, and its figures are not reported: {study.invalidated}"
        )


def own_episodes(study: Study) -> list[dict[str, Json]]:
    """Return the ledger's episodes; raise where one was run under another manifest, or twice, or was edited."""
    known = {
        study.manifest["digest"],
        *(entry["manifest before"] for entry in study.manifest["amendments"]),
    }
    found: dict[str, dict[str, Json]] = {}
    for record in read_ledger(study.ledger):
        if record.get("manifest") not in known or record["episode"] in found:
            raise OutcomeMonitorsError(
                f"{study.ledger}: {record['episode']} is of another study, or stands there twice; restore the ledger"
            )
        found[record["episode"]] = record
    sealed(study.ledger)
    return list(found.values())


def amend(
    folder: Path,
    reason: str,
    *,
    invalidates: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> dict[str, Json]:
    """Take things as they are now, and write down that they changed, when, why, and how many outcomes had been seen.

    What `invalidates` a study takes nothing: it ends it, whatever has become of its environment.
    """
    study = _read(folder)
    manifest = dict(study.manifest)
    before = manifest.pop("digest", None)
    changed = [] if before == digest(manifest) else ["manifest"]
    present, sent = manifest["hashes"], manifest["sent"]
    if not invalidates:
        place = environment(manifest["environment"])
        present = hashes(folder, place, study.cells, study.plugins, manifest["settings"])
        models = paid_models(manifest["agents"], manifest["settings"])
        sent = sent_to(models, manifest["settings"]) or sent
        changed += [name for name, value in present.items() if manifest["hashes"].get(name) != value]
        changed += ["sent"] * (sent != manifest["sent"]) + ["ledger"] * seal_anew(study.ledger)
    amendment: dict[str, Json] = {
        "time": now().isoformat(timespec="seconds"),
        "reason": reason,
        **({INVALIDATED: True} if invalidates else {}),
        "changed": changed,
        "hashes before": {name: manifest["hashes"][name] for name in changed if name in manifest["hashes"]},
        "manifest before": before,
        "episodes seen": len(read_ledger(study.ledger)),
    }
    manifest |= {"hashes": present, "sent": sent}
    manifest["amendments"] = [*manifest["amendments"], amendment]
    _save(folder, manifest)
    return amendment


def _read(folder: Path) -> Study:
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise OutcomeMonitorsError(f"there is no {path}; make one with study freeze") from None
    except (OSError, ValueError) as error:
        raise OutcomeMonitorsError(f"cannot read {path}: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("version") != VERSION or "cells" not in manifest:
        made = manifest.get("version") if isinstance(manifest, dict) else None
        raise OutcomeMonitorsError(
            f"{path} is of version {made}, and this release reads version {VERSION}; use the release that froze it, or freeze"
            " the study again"
            if isinstance(made, int) and made != VERSION
            else f"{path} is no manifest of a study"
        )
    return Study(folder, manifest)


def _save(folder: Path, manifest: dict[str, Json]) -> Study:
    whole = {**manifest, "digest": digest(manifest)}
    write_atomically(folder / "manifest.json", json.dumps(whole, indent=1) + "\n")
    return Study(folder, whole)
