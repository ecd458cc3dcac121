"""A study as a task of inspect_ai: one sample an episode, the arm in its metadata.

`study run` makes it of the episodes that are missing. By itself, `inspect eval outcome_monitors/study/inspect_task.py
-T folder=trial -T arms=baseline,advisory-v2` runs arms of a frozen study and writes inspect's own logs, and no ledger.
"""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import anyio.from_thread
import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
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

from .._model import Json
from ._manifest import Planned
from ._recorder import Recorder
from ._run import Running, benches, record, running
from .arms import ARMS
from .models import Writer

__all__ = ["SYSTEM_PROMPT", "episodes", "outcome_study"]

SYSTEM_PROMPT = (
    "You are an assistant that carries out requests by calling tools. Complete every part of the request. Every fact that"
    " you report and every change must come from a tool call that you made. Tools may fail or return unexpected data: before"
    " you use a result, consider whether it is coherent and fits what you asked for. There may be more than one way to do"
    " something. If a part cannot be done by any tool, stop and say which and why. End with a short plain answer."
)
"""The same for every arm; it speaks of no contract and no receipt."""


@task
def outcome_study(folder: str, arms: str = "") -> Task:
    """Return a frozen study's missing episodes, of some arms or of all, for the model that inspect is called with."""
    now = running(Path(folder))
    wanted = [name.strip() for name in arms.split(",") if name.strip()] or now.study.manifest["arms"]
    return _task(now, [planned for planned in now.left if planned.arm in wanted], None)


def episodes(writer: Writer, agent: str) -> Task:
    """Return the missing episodes of an agent; each goes to the writer when it ends."""
    return _task(writer.now, [planned for planned in writer.now.left if planned.agent == agent], writer)


def _task(now: Running, left: Iterable[Planned], writer: Writer | None) -> Task:
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
def _episode(now: Running, planned: dict[str, Planned], writer: Writer | None) -> Solver:
    bench, specs = benches(now), {spec["name"]: spec for spec in now.place.specs()}
    settings = now.study.manifest["settings"]
    tries: Counter[str] = Counter()

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's signature
        name = str(state.sample_id)
        if writer is not None and writer.budget.exhausted:
            return state
        tries[name] += 1
        this = planned[name]
        episode = now.place.open(this.cell)
        talk = _Talk(get_model(), settings, [_tool(specs[tool]) for tool in episode.tools])
        given = bench()
        given.ask = talk.reviewed
        talk.recorder = Recorder(episode, ARMS[this.arm], given)
        state.messages = talk.messages
        answer = await talk.through(episode.query)
        verdict = episode.judge(answer)
        usage = {**talk.usage, "retries": tries[name] - 1, "cost": _cost(settings, this.agent, talk.usage)}
        state.metadata["completed"] = verdict.completed
        if writer is not None:
            writer.append(record(now.study, this, talk.recorder, verdict, usage))
        return state

    return solve


def _cost(settings: Json, agent: str, usage: Counter[str]) -> float | None:
    price = settings.get("prices", {}).get(agent)
    if price is None:
        return None
    return float(usage["input_tokens"] * price["input"] + usage["output_tokens"] * price["output"]) / 1e6


def _tool(spec: Json) -> ToolInfo:
    schema = spec["inputSchema"]
    known = {"properties": schema.get("properties", {}), "required": schema.get("required", [])}
    return ToolInfo(
        name=spec["name"],
        description=spec["description"] or spec["name"],
        parameters=ToolParams.model_validate(known),
    )


class _Talk:
    """One conversation of a model with its tools, under an arm."""

    recorder: Recorder

    def __init__(self, model: Model, settings: Json, tools: list[ToolInfo]) -> None:
        self.messages: list[Any] = []
        self.usage: Counter[str] = Counter(calls=0, input_tokens=0, output_tokens=0, malformed=0, reviews=0)
        self._model = model
        self._tools = tools
        self._config = GenerateConfig(temperature=settings["temperature"], timeout=600, max_retries=5)
        self._most = settings["most_steps"]
        self._system = settings.get("system_prompt") or SYSTEM_PROMPT

    async def through(self, query: str) -> str:
        """Talk until the model has said its last words, or has no steps left, and return them."""
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
            if not output.message.tool_calls:
                more = self.recorder.arm.after(answer)
                if more is None:
                    break
                self.messages.append(ChatMessageUser(content=more))
        return answer

    async def _said(self, messages: list[Any], tools: list[ToolInfo]) -> ModelOutput:
        output = await self._model.generate(messages, tools=tools, config=self._config)
        if output.usage:
            self.usage["input_tokens"] += output.usage.input_tokens
            self.usage["output_tokens"] += output.usage.output_tokens
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
        said = "\n".join(f"{message.role}: {message.text}" for message in self.messages[1:])
        # An arm may ask a second model, and waits for it: not on the thread that everything runs on.
        told = await anyio.to_thread.run_sync(self.recorder.arm.before, call.function, call.arguments, said)
        return told if told is not None else self.recorder(call.function, call.arguments)

    def reviewed(self, request: str) -> str:
        """Ask the same model, in a conversation of its own."""
        self.usage["reviews"] += 1
        output = anyio.from_thread.run(self._said, [ChatMessageUser(content=request)], [])
        return str(output.completion)
