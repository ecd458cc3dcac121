"""A study as a task of inspect_ai: one sample an episode, the arm in its metadata.

`study run` makes it of the episodes that are missing. By itself, `inspect eval outcome_monitors/outcome_study -T folder=trial
-T arms=baseline,advisory-v2 --model MODEL` runs arms of a frozen study and writes inspect's own logs, and no ledger.
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

from ._entry_points import PluginFault, blamed
from ._recorder import EpisodeRecorder
from ._talk import COUNTED, Talk
from .arms import arm_class
from .environments import Offering
from .generation import system_prompt
from .manifest import Planned
from .models import EpisodeWriter
from .run import Effort, Running, benches, record, running

__all__ = ["episodes", "outcome_study"]


@task
def outcome_study(folder: str, arms: str | list[str] = "") -> Task:
    """Return a frozen study's missing episodes, of some arms or of all, for the model that inspect is called with."""
    now = running(Path(folder))
    known: list[str] = now.study.manifest["arms"]
    # On its command line inspect makes a list of what has commas.
    named = arms.split(",") if isinstance(arms, str) else arms
    wanted = [name.strip() for name in named if name.strip()] or known
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise OutcomeMonitorsError(f"the study has no arm {unknown[0]!r}: choose from {', '.join(known)}")
    return _task(now, [planned for planned in now.left if planned.arm in wanted], None)


def episodes(writer: EpisodeWriter, agent: str) -> Task:
    """Return the missing episodes of an agent; each goes to the writer when it ends."""
    return _task(writer.now, [planned for planned in writer.now.left if planned.agent == agent], writer)


def _task(now: Running, left: Iterable[Planned], writer: EpisodeWriter | None) -> Task:
    planned = {each.name: each for each in left}
    samples = [sample for each in planned.values() for sample in _samples(now, each, writer)]
    return Task(
        dataset=MemoryDataset(samples),
        solver=_episode(now, planned, writer),
        scorer=_completed(),
        name="outcome_study",
    )


def _samples(now: Running, planned: Planned, writer: EpisodeWriter | None) -> Iterator[Sample]:
    """Yield an episode's sample; none where a plugin cannot open it."""
    try:
        with blamed(now.place):
            query = now.place.open(planned.cell).query
    except PluginFault as fault:
        if writer is None:
            raise
        writer.faulted(planned, fault, {})
        return
    metadata = {"arm": planned.arm, "agent": planned.agent, "stratum": planned.cell.stratum}
    yield Sample(id=planned.name, input=query, metadata=metadata)


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
        with _contained(writer, this) as spent:
            with blamed(now.place):
                episode = now.place.open(this.cell)
                listed = (
                    episode.offered
                    if isinstance(episode, Offering)
                    else [specs[tool] for tool in episode.tools]
                )
                offered = [_tool(spec) for spec in listed]
            trouble = print if writer is None else writer.trouble
            talk = Talk(get_model(), settings, episode, offered, effort, trouble)
            talk.usage = spent
            given = bench(this.cell.task)
            given.ask = talk.reviewed
            talk.recorder = EpisodeRecorder(episode, arm_class(this.arm), given)
            state.messages = talk.messages
            with _under_way(writer, this, spent):
                answer = await talk.through()
            with blamed(episode):
                verdict = episode.judge(answer)
            usage = {**spent, "cost": None if writer is None else writer.cost(this.agent, spent)}
            line = record(now.study, this, talk.recorder, verdict, answer, usage)
            state.metadata["completed"] = line["completed"]
            if writer is not None:
                writer.append(line)
                writer.sent_again(this, talk.resent)
        return state

    return solve


@contextmanager
def _contained(writer: EpisodeWriter | None, planned: Planned) -> Iterator[Counter[str]]:
    """Give the counts of an episode; where a plugin breaks it off, that is noted, and no other try is made."""
    spent = Counter(dict.fromkeys(COUNTED, 0))
    try:
        yield spent
    except PluginFault as fault:
        if writer is None:
            raise
        writer.faulted(planned, fault, spent)


@contextmanager
def _under_way(writer: EpisodeWriter | None, planned: Planned, usage: Counter[str]) -> Iterator[None]:
    """Count an episode that has begun, and note how it broke off; inspect_ai tries it again."""
    if writer is None:
        yield
        return
    writer.budget.under_way += 1
    try:
        yield
    except PluginFault:
        raise
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
