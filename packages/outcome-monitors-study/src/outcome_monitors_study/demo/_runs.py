"""Scripted agents carry a workflow out, without the monitor and with it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from outcome_monitors.audit.faults import Corpus
from outcome_monitors.checking.monitor import Monitor
from outcome_monitors.model import Call, Json
from outcome_monitors_study.world import Workflow, World
from outcome_monitors_study.world.agents import Interface, Run, Script, follows_receipts, naive
from outcome_monitors_study.world.injection import Injection
from outcome_monitors_study.world.scoring import Score, Shown, score

from ._cases import DemoCase
from ._judging import advised

__all__ = ["Comparison", "Ending", "Heard", "play", "play_clean"]


@dataclass(frozen=True, slots=True)
class Heard:
    """A call of the agent, and whether its result came with a receipt."""

    tool: str
    arguments: Mapping[str, Json]
    told: bool


@dataclass(frozen=True, slots=True)
class Ending:
    """What an agent did, and what became of the task."""

    run: Run
    score: Score

    @property
    def completed(self) -> bool:
        """Say whether the world and the answer are as they should be."""
        return self.score.completed


@dataclass(frozen=True, slots=True)
class Comparison:
    """A case, played twice."""

    case: DemoCase
    call: Call
    """The first corrupted result, as the caller saw it."""
    before: tuple[Call, ...]
    """What was called before it in the same run."""
    true: Json
    """What the tool had answered."""
    advised: Json
    """What the monitor makes of that result."""
    without: Ending
    """The naive script, which takes results at face value."""
    monitored: Ending
    """The script that acts on every receipt."""
    heard: tuple[Heard, ...]
    """What that one called, in order."""

    @property
    def caught(self) -> bool:
        """Say whether the monitor flags that result."""
        return self.advised is not self.call.result


def play(case: DemoCase, monitor: Monitor, corpus: Corpus) -> Comparison:
    """Run a case without the monitor and with it, each in a world of its own."""
    workflow = case.workflow
    world, faulty = _faulty_world(case, corpus)
    without = _act(workflow, world, naive, faulty.call, faulty)
    hit = faulty.hits[0]
    *before, struck = [Call(entry.tool, entry.arguments, entry.result) for entry in world.log[: hit.step]]
    call = replace(struck, result=hit.seen, task=workflow.task_id, tools=workflow.tools)
    world, faulty = _faulty_world(case, corpus)
    heard: list[Heard] = []
    watched = _watched(workflow, monitor, faulty.call, heard)
    monitored = _act(workflow, world, follows_receipts(), watched, faulty)
    return Comparison(
        case, call, tuple(before), hit.true, advised(monitor, before, call), without, monitored, tuple(heard)
    )


def play_clean(workflow: Workflow, monitor: Monitor) -> tuple[Ending, Ending]:
    """Run a workflow where nothing is wrong, without the monitor and with it."""
    world, other = World(workflow.seed), World(workflow.seed)
    return (
        _act(workflow, world, naive, world.call),
        _act(workflow, other, follows_receipts(), _watched(workflow, monitor, other.call, [])),
    )


def _faulty_world(case: DemoCase, corpus: Corpus) -> tuple[World, Injection]:
    world = World(case.workflow.seed)
    return world, Injection(world, case.fault, case.victim, permanent=case.permanent, corpus=corpus)


def _act(
    workflow: Workflow, world: World, script: Script, interface: Interface, faulty: Injection | None = None
) -> Ending:
    run = script(workflow, interface)
    shown = [Shown(hit.true, hit.seen) for hit in faulty.hits] if faulty is not None else []
    return Ending(run, score(workflow, world, run, shown))


def _watched(workflow: Workflow, monitor: Monitor, call: Interface, heard: list[Heard]) -> Interface:
    """Put the monitor between the agent and its tools, and note what is called."""
    session = monitor.session()

    def watched(tool: str, arguments: Mapping[str, Json]) -> Json:
        result = call(tool, arguments)
        given = session.advise(tool, arguments, result, tools=workflow.tools)
        heard.append(Heard(tool, dict(arguments), given is not result))
        return given

    return watched
