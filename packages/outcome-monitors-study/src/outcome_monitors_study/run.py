"""Runs the episodes of a frozen study that are still missing, and writes each to the ledger when it ends."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from outcome_monitors.contracts.registry import Registry
from outcome_monitors.model import Json
from outcome_monitors.recovery.relations import Relations

from ._ledger import Ledger, append_failure, read_failures
from ._plugin_loading import PluginFault, plugin_errors
from .arms import Bench, arm_class
from .environments.environment import Environment, Episode, EpisodeVerdict
from .inputs import RELATIONS, SCHEMAS, registry_of
from .manifest import Planned, Study, load, own_episodes, verified
from .prices import total
from .recorder import EpisodeRecorder
from .scripted import is_scripted, scripted_agent


class Effort(NamedTuple):
    """How a run treats an endpoint; nothing of it changes what an episode is."""

    concurrency: int = 1
    """Episodes under way at once."""
    timeout: int = 600
    """Seconds that one request may take."""
    retries: int = 5
    """How often one request is sent again, at growing distances, before the episode is broken off."""
    pause: float = 3.0
    """Seconds before the first of them; each further one waits twice as long."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, and what is still to come."""

    done: int
    planned: int
    spent: float | None
    """What all tries have cost so far, in the price table's currency; None where a price is not known."""
    seconds_left: float | None
    cost_left: float | None
    failures: int = 0
    """Tries that an endpoint or a plugin broke off, in all runs of the study."""
    trouble: str = ""
    """What an endpoint has just failed in; people who wait should know what for."""
    fault: str = ""
    """What a plugin has just raised; the episode is left out."""


OnProgress = Callable[[Progress], object]


@dataclass(frozen=True, slots=True)
class Running:
    """A study that has been held against its manifest, and what is left to do."""

    study: Study
    environment: Environment
    left: tuple[Planned, ...]
    done: int
    spent: float | None
    failures: int


def running(folder: Path) -> Running:
    """Hold a study against its manifest, and find the episodes that are missing."""
    study = load(folder)
    place = verified(study)
    finished = {record["episode"]: record for record in own_episodes(study)}
    left = tuple(planned for planned in study.episodes() if planned.name not in finished)
    failures = read_failures(study.failures)
    spent = total(record["usage"].get("cost") for record in (*finished.values(), *failures))
    return Running(study, place, left, len(finished), spent, len(failures))


def run(
    folder: Path,
    *,
    max_cost: float | None = None,
    effort: Effort = Effort(),  # noqa: B008 - it cannot be changed
    on_progress: OnProgress = lambda _: None,
    models: Mapping[str, Any] | None = None,
) -> Progress:
    """Run what is missing, scripts here and models through inspect_ai; stop before `max_cost` is passed.

    `models` gives an agent a model of inspect_ai in place of the one that its name says.
    """
    now = running(folder)
    scripts = tuple(planned for planned in now.left if is_scripted(planned.agent))
    others = tuple(planned for planned in now.left if not is_scripted(planned.agent))
    if scripts or not others:
        progress = _run_scripts(replace(now, left=scripts), len(now.left), on_progress)
    if not others:
        return progress
    from .models import run_models  # noqa: PLC0415 - inspect_ai is an extra, and takes seconds to import

    return run_models(
        replace(now, left=others, done=now.done + len(scripts)),
        max_cost,
        effort,
        on_progress,
        {} if models is None else models,
    )


def _run_scripts(now: Running, missing: int, on_progress: OnProgress) -> Progress:
    progress = Progress(now.done, now.done + missing, now.spent, None, None, now.failures)
    bench = benches(now)
    with Ledger.opened(now.study.ledger, now.done) as ledger:
        began = time.monotonic()
        for number, planned in enumerate(now.left, 1):
            fault = ""
            try:
                ledger.append(_episode(now, planned, bench(planned.cell.task)))
            except PluginFault as error:
                fault = str(error)
                note_failure(now.study, planned, {"error": fault, "usage": {"cost": 0.0}})
            progress = replace(
                progress,
                done=progress.done + (not fault),
                seconds_left=(time.monotonic() - began) / number * (len(now.left) - number),
                cost_left=0.0,
                failures=progress.failures + bool(fault),
            )
            on_progress(replace(progress, fault=fault))
    return progress


def _episode(now: Running, planned: Planned, bench: Bench) -> dict[str, Json]:
    with plugin_errors(now.environment):
        episode: Episode = now.environment.open(planned.cell)
    recorder = EpisodeRecorder(episode, arm_class(planned.arm), bench)
    seed = now.study.manifest["sampling"]["seed"] + planned.repeat
    script = scripted_agent(planned.agent, bench.relations, seed)
    with plugin_errors(episode):
        answer = script(episode, recorder)
        usage: dict[str, Json] = {"calls": answer.calls, "cost": 0.0}
        verdict = episode.judge(answer)
    return record(now.study, planned, recorder, verdict, answer.said or answer.answer, usage)


def note_failure(study: Study, planned: Planned, what: Mapping[str, Json]) -> None:
    """Note what befell a try of an episode."""
    whose = {"episode": planned.name, "agent": planned.agent, "arm": planned.arm}
    append_failure(study.failures, {**whose, **what})


def benches(now: Running) -> Callable[[str], Bench]:
    """Return what makes a bench for an episode of a task; the compiled contracts are shared."""
    folder = now.study.folder
    registry, schemas = registry_of(folder), Registry.load(folder / SCHEMAS)
    relations = Relations.load(folder / RELATIONS)
    specs = list(now.environment.specs())
    inputs = {spec["name"]: spec["inputSchema"] for spec in specs}
    described = {spec["name"]: spec.get("description") or "" for spec in specs}
    kept: dict[int, Bench] = {}

    def bench(task: str) -> Bench:
        own = registry(task)
        return replace(kept.setdefault(id(own), Bench(own, schemas, relations, inputs, described)))

    return bench


def record(
    study: Study,
    planned: Planned,
    recorder: EpisodeRecorder,
    verdict: EpisodeVerdict,
    answer: Json,
    usage: dict[str, Json],
) -> dict[str, Json]:
    """Return the ledger's line of an episode; it holds no time, so that a run repeated is a run repeated."""
    if not isinstance(verdict, EpisodeVerdict) or not isinstance(verdict.completed, bool):
        raise PluginFault(
            f"what judged {planned.cell.id} gave {verdict!r:.200}, and no EpisodeVerdict of True or False"
        )
    return {
        "episode": planned.name,
        "cell": planned.cell.id,
        "task": planned.cell.task,
        "stratum": planned.cell.stratum,
        "agent": planned.agent,
        "scripted": is_scripted(planned.agent),
        "arm": planned.arm,
        **({"repeat": planned.repeat} if study.repeats > 1 else {}),
        "manifest": study.manifest["digest"],
        "completed": verdict.completed,
        "score": dict(verdict.details),
        "calls": recorder.calls,
        "answer": answer,
        "usage": usage,
    }
