"""A study as a task of inspect_ai: one sample an episode, the arm in its metadata.

`study run` makes it of the episodes that are missing. By itself, `inspect eval outcome_monitors/study/inspect_task.py
-T folder=trial -T arms=baseline,advisory-v2` runs arms of a frozen study and writes inspect's own logs, and no ledger.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo, ToolParams

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from ._prompt import system_prompt
from ._recorder import EpisodeRecorder
from ._talk import Talk
from .arms import ARMS
from .environments import Offering
from .manifest import Planned
from .models import EpisodeWriter
from .run import Effort, Running, benches, record, running

__all__ = ["episodes", "outcome_study"]


@task
def outcome_study(folder: str, arms: str = "") -> Task:
    """Return a frozen study's missing episodes, of some arms or of all, for the model that inspect is called with."""
    now = running(Path(folder))
    wanted = [name.strip() for name in arms.split(",") if name.strip()] or now.study.manifest["arms"]
    return _task(now, [planned for planned in now.left if planned.arm in wanted], None)


def episodes(writer: EpisodeWriter, agent: str) -> Task:
    """Return the missing episodes of an agent; each goes to the writer when it ends."""
    return _task(writer.now, [planned for planned in writer.now.left if planned.agent == agent], writer)


def _task(now: Running, left: Iterable[Planned], writer: EpisodeWriter | None) -> Task:
    planned = {each.name: each for each in left}
    samples = [
        Sample(
            id=name,
            input=now.place.open(each.cell).query,
            metadata={"arm": each.arm, "agent": each.agent, "stratum": each.cell.stratum},
        )
        for name, each in planned.items()
    ]
    return Task(
        dataset=MemoryDataset(samples),
        solver=_episode(now, planned, writer),
        scorer=_completed(),
        name="outcome_study",
    )


@scorer(metrics=[accuracy()])
def _completed() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score | None:  # noqa: ARG001 - inspect_ai's signature
        completed = state.metadata.get("completed")
        return None if completed is None else Score(value=int(completed))

    return score


@solver
def _episode(now: Running, planned: dict[str, Planned], writer: EpisodeWriter | None) -> Solver:
    bench, specs = benches(now), {spec["name"]: spec for spec in now.place.specs()}
    settings, effort = now.study.manifest["settings"], Effort() if writer is None else writer.effort
    settings = {**settings, "system_prompt": system_prompt(settings, now.place)}

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's signature
        if writer is not None and writer.over:
            return state
        this = planned[str(state.sample_id)]
        episode = now.place.open(this.cell)
        offered = (
            episode.offered if isinstance(episode, Offering) else [specs[tool] for tool in episode.tools]
        )
        trouble = print if writer is None else writer.trouble
        talk = Talk(get_model(), settings, episode, [_tool(spec) for spec in offered], effort, trouble)
        given = bench(this.cell.task)
        given.ask = talk.reviewed
        talk.recorder = EpisodeRecorder(episode, ARMS[this.arm], given)
        state.messages = talk.messages
        with _under_way(writer, this, talk.usage):
            answer = await talk.through()
        verdict = episode.judge(answer)
        state.metadata["completed"] = verdict.completed
        if writer is not None:
            usage = {**talk.usage, "cost": writer.cost(this.agent, talk.usage)}
            writer.append(record(now.study, this, talk.recorder, verdict, answer, usage))
            writer.sent_again(this, talk.resent)
        return state

    return solve


@contextmanager
def _under_way(writer: EpisodeWriter | None, planned: Planned, usage: Counter[str]) -> Iterator[None]:
    """Count an episode that has begun, and note how it broke off; inspect_ai tries it again."""
    if writer is None:
        yield
        return
    writer.budget.under_way += 1
    try:
        yield
    except OutcomeMonitorsError as error:
        # A task file or a plugin is wrong, not the endpoint: another try would end in the same way.
        writer.stopped = error
        raise
    except Exception as error:
        writer.failed(planned, error, usage)
        raise
    finally:
        writer.budget.under_way -= 1


class _Listed(ToolInfo):
    """A tool that an episode has for itself: inspect_ai copies each several times a request, which takes most of the time."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Any:
        """Return the tool itself for a copy of all of it; no provider changes one, but to say the same more strictly."""
        return self if deep and update in (None, {}) else super().model_copy(update=update, deep=deep)


def _tool(spec: Json) -> ToolInfo:
    schema = spec["inputSchema"]
    known = {"properties": schema.get("properties", {}), "required": schema.get("required", [])}
    return _Listed(
        name=spec["name"],
        description=spec["description"] or spec["name"],
        parameters=ToolParams.model_validate(known),
    )
