"""A study as a task of inspect_ai: one sample an episode, the arm in its metadata.

`study run` makes it of the episodes that are missing. By itself, `inspect eval outcome_monitors/study/inspect_task.py
-T folder=trial -T arms=baseline,advisory-v2` runs arms of a frozen study and writes inspect's own logs, and no ledger.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio.from_thread
import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams

from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.model import Json

from ._prompt import system_prompt
from ._recorder import EpisodeRecorder
from .arms import ARMS, Arm
from .environments import Conversing, Episode, Offering
from .manifest import Planned
from .models import USER, EpisodeWriter
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
        talk = _Talk(get_model(), settings, effort, episode, [_tool(spec) for spec in offered])
        given = bench()
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


def _resent() -> int:
    """Return how often the last request was sent again before it was answered."""
    asked = (event for event in reversed(transcript().events) if isinstance(event, ModelEvent))
    last = next(asked, None)
    return (last.retries or 0) if last is not None else 0


class _Talk:
    """One conversation of a model with its tools, under an arm."""

    recorder: EpisodeRecorder

    def __init__(
        self, model: Model, settings: Json, effort: Effort, episode: Episode, tools: list[ToolInfo]
    ) -> None:
        self.messages: list[Any] = []
        self.usage: Counter[str] = Counter(calls=0, input_tokens=0, output_tokens=0, malformed=0, reviews=0)
        self.resent = 0
        """Requests that had to be sent again; no line of the ledger may depend on that."""
        self._model = model
        self._user = get_model(role=USER) if settings.get("user_model") else None
        self._episode = episode
        self._tools = tools
        self._config = GenerateConfig(
            temperature=settings["temperature"],
            reasoning_tokens=settings.get("reasoning_tokens"),
            attempt_timeout=effort.timeout,
            max_retries=effort.retries,
        )
        self._most = settings["most_steps"]
        self._system = settings["system_prompt"]

    async def through(self) -> str:
        """Talk until the model has said its last words, or has no steps left, and return them."""
        query = self._episode.query
        if isinstance(self._episode, Conversing):
            query = await anyio.to_thread.run_sync(self._episode.opening, self._ask)
        self.messages += [ChatMessageSystem(content=self._system), ChatMessageUser(content=query)]
        answer = ""
        for _ in range(self._most):
            output = await self._said(self.messages, self._tools)
            self.messages.append(output.message)
            answer = output.completion
            for call in output.message.tool_calls or []:
                content = await self._result(call)
                text = content if isinstance(content, str) else json.dumps(content)
                self.messages.append(
                    ChatMessageTool(content=text, tool_call_id=call.id, function=call.function)
                )
            if isinstance(self._episode, Conversing) and self._episode.over:
                break
            if not output.message.tool_calls:
                more = self.recorder.arm.after(answer)
                if more is None and isinstance(self._episode, Conversing):
                    more = await anyio.to_thread.run_sync(self._episode.reply, answer, self._ask)
                if more is None:
                    break
                self.messages.append(ChatMessageUser(content=more))
        return answer

    async def _said(
        self, messages: list[Any], tools: list[ToolInfo], model: Model | None = None, whose: str = ""
    ) -> ModelOutput:
        output = await (self._model if model is None else model).generate(
            messages, tools=tools, config=self._config
        )
        self.resent += _resent()
        if output.usage:
            self.usage[f"{whose}input_tokens"] += output.usage.input_tokens
            self.usage[f"{whose}output_tokens"] += output.usage.output_tokens
        if output.error or not output.choices or not (output.completion or output.message.tool_calls):
            # The endpoint's fault, not the task's: the episode is tried again.
            raise RuntimeError(f"the model gave no answer: {output.error or 'it was empty'}")
        return output

    async def _result(self, call: ToolCall) -> Json:
        self.usage["calls"] += 1
        if call.parse_error or not isinstance(call.arguments, dict):
            self.usage["malformed"] += 1
            return {"error": f"The call could not be read: {call.parse_error or 'arguments are no object'}."}
        if call.function not in {tool.name for tool in self._tools}:
            return {"error": f"There is no tool {call.function}."}
        meant: tuple[str, Mapping[str, Json]] = call.function, call.arguments
        if isinstance(self._episode, Offering):
            meant = self._episode.named(*meant)
        told = await self._told_before(*meant)
        return told if told is not None else self.recorder(*meant)

    async def _told_before(self, tool: str, arguments: Mapping[str, Json]) -> str | None:
        if type(self.recorder.arm).before is Arm.before:
            return None
        said = "\n".join(f"{message.role}: {message.text}" for message in self.messages[1:])
        # An arm may ask a second model, and waits for it: not on the thread that everything runs on.
        told: str | None = await anyio.to_thread.run_sync(self.recorder.arm.before, tool, arguments, said)
        return told

    def reviewed(self, request: str) -> str:
        """Ask the same model, in a conversation of its own."""
        self.usage["reviews"] += 1
        output = anyio.from_thread.run(self._said, [ChatMessageUser(content=request)], [])
        return str(output.completion)

    @property
    def _ask(self) -> Any:
        """What asks the model that plays the user; None where the user is a script."""
        return None if self._user is None else self._asked

    def _asked(self, lines: Sequence[tuple[str, str]]) -> str:
        made = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
        messages = [made[role](content=text) for role, text in lines]
        return str(anyio.from_thread.run(self._said, messages, [], self._user, "user_").completion)
