"""Runs the episodes of a frozen study that are still missing, and writes each to the ledger when it ends."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .._model import Json
from .._recovery import Relations
from .._registry import Registry
from ._ledger import Ledger
from ._manifest import CONTRACTS, RELATIONS, SCHEMAS, Planned, Study, held, load, own_episodes
from ._recorder import Recorder
from .arms import ARMS, Bench
from .environments import Environment, Verdict
from .scripted import is_scripted, scripted_agent

__all__ = ["Progress", "Running", "Tell", "benches", "record", "run", "running"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, and what is still to come."""

    done: int
    planned: int
    spent: float
    """What all episodes in the ledger have cost, in the price table's currency."""
    seconds_left: float | None
    cost_left: float | None


Tell = Callable[[Progress], object]


@dataclass(frozen=True, slots=True)
class Running:
    """A study that has been held against its manifest, and what is left to do."""

    study: Study
    place: Environment
    left: tuple[Planned, ...]
    done: int
    spent: float


def running(folder: Path) -> Running:
    """Hold a study against its manifest, and find the episodes that are missing."""
    study = load(folder)
    place = held(study)
    finished = {record["episode"]: record for record in own_episodes(study)}
    left = tuple(planned for planned in study.episodes() if planned.name not in finished)
    spent = sum(record["usage"].get("cost") or 0.0 for record in finished.values())
    return Running(study, place, left, len(finished), spent)


def run(
    folder: Path,
    *,
    max_cost: float | None = None,
    tell: Tell = lambda _: None,
    models: Mapping[str, Any] | None = None,
) -> Progress:
    """Run what is missing, scripts here and models through inspect_ai; stop before `max_cost` is passed.

    `models` gives an agent a model of inspect_ai in place of the one that its name says.
    """
    now = running(folder)
    if all(is_scripted(planned.agent) for planned in now.left):
        return _run_scripts(now, tell)
    from .models import run_models  # noqa: PLC0415 - inspect_ai is an extra, and takes seconds to import

    return run_models(now, max_cost, tell, models)


def _run_scripts(now: Running, tell: Tell) -> Progress:
    progress = Progress(now.done, now.done + len(now.left), now.spent, None, None)
    with Ledger.opened(now.study.ledger, now.done) as ledger:
        began = time.monotonic()
        for number, episode in enumerate(_played(now), 1):
            ledger.append(episode)
            each = (time.monotonic() - began) / number
            left = len(now.left) - number
            progress = Progress(now.done + number, progress.planned, now.spent, each * left, 0.0)
            tell(progress)
    return progress


def _played(now: Running) -> Iterator[dict[str, Json]]:
    bench = benches(now)
    seed = now.study.manifest["sampling"]["seed"]
    for planned in now.left:
        episode = now.place.open(planned.cell)
        recorder = Recorder(episode, ARMS[planned.arm], bench())
        script = scripted_agent(planned.agent, bench().relations, seed)
        answer = script(episode, recorder)
        yield record(now.study, planned, recorder, episode.judge(answer), {"calls": answer.calls})


def benches(now: Running) -> Callable[[], Bench]:
    """Return what makes a bench for each episode; the compiled contracts are shared."""
    folder = now.study.folder
    first = Bench(
        Registry.load(folder / CONTRACTS),
        Registry.load(folder / SCHEMAS),
        Relations.load(folder / RELATIONS),
        {spec["name"]: spec["inputSchema"] for spec in now.place.specs()},
    )
    return lambda: replace(first)


def record(
    study: Study, planned: Planned, recorder: Recorder, verdict: Verdict, usage: dict[str, Json]
) -> dict[str, Json]:
    """Return the ledger's line of an episode; it holds no time, so that a run repeated is a run repeated."""
    return {
        "episode": planned.name,
        "cell": planned.cell.id,
        "task": planned.cell.task,
        "stratum": planned.cell.stratum,
        "agent": planned.agent,
        "scripted": is_scripted(planned.agent),
        "arm": planned.arm,
        "manifest": study.manifest["digest"],
        "completed": verdict.completed,
        "score": dict(verdict.details),
        "calls": recorder.calls,
        "usage": usage,
    }
