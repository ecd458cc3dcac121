"""The manifest: all that a study is, fixed before any outcome is seen, and held to afterwards."""

import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import mine
from outcome_monitors.model import Json, Profile
from outcome_monitors.recovery.relations import Relations
from outcome_monitors.values.files import write_atomically

from ._json import code_digest, digest, file_digest
from ._ledger import read_ledger
from .arms import ARMS
from .environments import Cell, Contracted, Environment, environment
from .generation import refuse_generation
from .prices import prices_for
from .scripted import is_scripted, scripted_agent

__all__ = ["Design", "Planned", "Study", "amend", "freeze", "held", "load", "own_episodes"]

VERSION = 2
STRATA = ("C3/P3", "C3/P4", "C4/P3", "C4/P4")
CONTRACTS, RELATIONS, SCHEMAS = "contracts.json", "relations.json", "schemas.json"
"""The files of a study's folder that its manifest knows by their content."""


@dataclass(frozen=True, slots=True)
class Design:
    """What a study is asked to be."""

    environment: Mapping[str, Json] = field(default_factory=lambda: {"environment": "world"})
    agents: Sequence[str] = ("scripted-follows:0.7",)
    arms: Sequence[str] = ("baseline", "advisory-v2")
    contrasts: Sequence[str] = ()
    """More than each arm against the first: `treatment:baseline`."""
    strata: Sequence[str] = STRATA
    per_stratum: int = 20
    seed: int = 0
    profile: Profile = "full"
    contracts: Path | None = None
    """Contracts to take in place of mining them."""
    relations: Path | None = None
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Of a model: temperature, most steps, prices, the system prompt."""


def _models(agents: Iterable[str], settings: Mapping[str, Json]) -> list[str]:
    """Return the models that a study pays for: those of its agents that are no scripts, and the one that plays the user."""
    user = settings.get("user_model")
    return [agent for agent in (*agents, *([user] if user else [])) if not is_scripted(agent)]


class Planned(NamedTuple):
    """An episode that is to be run."""

    cell: Cell
    agent: str
    arm: str

    @property
    def name(self) -> str:
        """What the ledger calls it."""
        return f"{self.cell.id}|{self.agent}|{self.arm}"


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
    def unpriced(self) -> list[str]:
        """Its models whose price nobody knows."""
        settings = self.manifest["settings"]
        return [
            model
            for model in _models(self.manifest["agents"], settings)
            if model not in settings.get("prices", {})
        ]

    def episodes(self) -> Iterator[Planned]:
        """Yield all episodes in the order of their run: cells shuffled, and the arms of each cell side by side, shuffled."""
        rng = random.Random(f"{self.manifest['sampling']['seed']}/order")  # noqa: S311 - an order, not a secret
        cells = self.cells
        rng.shuffle(cells)
        for cell in cells:
            group = [Planned(cell, a, arm) for a in self.manifest["agents"] for arm in self.manifest["arms"]]
            rng.shuffle(group)
            yield from group


def freeze(folder: Path, design: Design) -> Study:
    """Sample, learn contracts from other tasks, and write all of it down."""
    if (folder / "manifest.json").exists():
        raise OutcomeMonitorsError(
            f"{folder} holds a frozen study; take another folder, or disclose with amend"
        )
    _refuse(design)
    prices = prices_for(_models(design.agents, design.settings), design.settings.get("prices", {}))
    place = environment(design.environment)
    cells = place.cells(design.strata, design.per_stratum, design.seed)
    folder.mkdir(parents=True, exist_ok=True)
    _write_inputs(folder, design, place, cells)
    manifest: dict[str, Json] = {
        "version": VERSION,
        "environment": dict(place.settings),
        "agents": list(design.agents),
        "scripted": all(map(is_scripted, design.agents)),
        "arms": list(design.arms),
        "sampling": {"seed": design.seed, "strata": list(design.strata), "per_stratum": design.per_stratum},
        "cells": [cell._asdict() for cell in cells],
        "settings": {
            "profile": design.profile,
            "temperature": 0,
            "most_steps": 25,
            **design.settings,
            "prices": prices,
        },
        "endpoint": {"primary": "completed", "baseline": design.arms[0], "treatment": design.arms[1]},
        "contrasts": _contrasts(design),
        "analysis": {
            "within an agent": "two-sided exact McNemar",
            "over agents": "task-clustered sign-flip, task-cluster bootstrap",
            "resamples": 200_000,
            "seed": design.seed,
            "level": 0.95,
        },
        "hashes": _hashes(folder, place, cells),
        "amendments": [],
    }
    return _save(folder, manifest)


def _refuse(design: Design) -> None:
    refuse_generation(_models(design.agents, design.settings), design.settings)
    unknown = [arm for arm in design.arms if arm not in ARMS]
    if unknown:
        raise OutcomeMonitorsError(f"there is no arm {unknown[0]!r}: choose from {', '.join(ARMS)}")
    if len(design.arms) < 2 or len(set(design.arms)) < len(design.arms):
        raise OutcomeMonitorsError(
            "a study compares at least two arms, each named once; the first is the baseline"
        )
    for treatment, base in _contrasts(design):
        if treatment == base or not {treatment, base} <= set(design.arms):
            raise OutcomeMonitorsError(
                f"{treatment}:{base} is no contrast of two of the study's arms; write treatment:baseline"
            )
    for agent in filter(is_scripted, design.agents):
        scripted_agent(agent, Relations(), 0)
        talks = [arm for arm in design.arms if ARMS[arm].needs_model]
        if talks:
            raise OutcomeMonitorsError(
                f"arm {talks[0]} needs a model, and {agent} is a script; leave one of them out"
            )


def _contrasts(design: Design) -> list[list[str]]:
    """Return each arm against the first, and what more was asked for, as (treatment, baseline)."""
    asked = [[treatment, base] for treatment, _, base in (text.partition(":") for text in design.contrasts)]
    return [*([arm, design.arms[0]] for arm in design.arms[1:]), *asked]


def _write_inputs(folder: Path, design: Design, place: Environment, cells: Sequence[Cell]) -> None:
    tasks = frozenset(cell.task for cell in cells)
    if design.contracts:
        registry = Registry.load(design.contracts)
    elif isinstance(place, Contracted):
        registry = place.contracts(tasks, design.profile)
    else:
        registry = mine(place.clean_calls(tasks), design.profile)
    relations = Relations.load(design.relations) if design.relations else place.relations()
    registry.save(folder / CONTRACTS)
    relations.save(folder / RELATIONS)
    place.schema_contracts().save(folder / SCHEMAS)


def load(folder: Path) -> Study:
    """Read a study's manifest; raise where it was edited by hand."""
    study = _read(folder)
    manifest = dict(study.manifest)
    if manifest.pop("digest", None) != digest(manifest):
        raise OutcomeMonitorsError(
            f"{folder / 'manifest.json'} is not as it was frozen; undo the edit, or disclose it with study amend"
        )
    return study


def held(study: Study) -> Environment:
    """Return the study's environment; raise where anything differs from what was frozen."""
    place = environment(study.manifest["environment"])
    now, frozen = _hashes(study.folder, place, study.cells), study.manifest["hashes"]
    changed = [name for name in frozen if now.get(name) != frozen[name]]
    if changed:
        raise OutcomeMonitorsError(
            f"the study is frozen, and this differs: {', '.join(changed)}; restore it, or disclose it with study amend"
        )
    return place


def own_episodes(study: Study) -> list[dict[str, Json]]:
    """Return the ledger's episodes; raise where one was run under another manifest, or twice."""
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
    return list(found.values())


def amend(
    folder: Path, reason: str, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> dict[str, Json]:
    """Take things as they are now, and write down that they changed, when, why, and how many outcomes had been seen."""
    study = _read(folder)
    manifest = dict(study.manifest)
    before = manifest.pop("digest", None)
    place = environment(manifest["environment"])
    hashes = _hashes(folder, place, study.cells)
    changed = [name for name, value in hashes.items() if manifest["hashes"].get(name) != value]
    if before != digest(manifest):
        changed.append("manifest")
    amendment: dict[str, Json] = {
        "time": now().isoformat(timespec="seconds"),
        "reason": reason,
        "changed": changed,
        "hashes before": {name: manifest["hashes"][name] for name in changed if name in manifest["hashes"]},
        "manifest before": before,
        "episodes seen": len(read_ledger(study.ledger)),
    }
    manifest["hashes"] = hashes
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
        raise OutcomeMonitorsError(f"{path} is no manifest of version {VERSION}")
    return Study(folder, manifest)


def _hashes(folder: Path, place: Environment, cells: Sequence[Cell]) -> dict[str, str]:
    try:
        files = {name: file_digest(folder / name) for name in (CONTRACTS, RELATIONS, SCHEMAS)}
    except OSError as error:
        raise OutcomeMonitorsError(f"cannot read {error.filename}: {error.strerror}") from error
    return {**files, "tasks": place.fingerprint(cells), "code": code_digest()}


def _save(folder: Path, manifest: dict[str, Json]) -> Study:
    whole = {**manifest, "digest": digest(manifest)}
    write_atomically(folder / "manifest.json", json.dumps(whole, indent=1) + "\n")
    return Study(folder, whole)
