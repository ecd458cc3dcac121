"""A study as a task of inspect_ai: one sample an episode, the arm in its metadata.

`study run` makes it of the episodes that are missing. By itself, `inspect eval outcome_monitors/outcome_study -T folder=trial
-T arms=baseline,advisory-v2 --model MODEL` runs arms of a frozen study and writes inspect's own logs, and no ledger.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
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

from ._entry_points import PluginFault, plugin_errors
from .arms import arm_class
from .conversation import Client, EpisodeRecorder, ModelTurn, ToolRequest, converse
from .design import generation, system_prompt
from .environments.environment import Offering
from .manifest import Planned
from .models import USER, EpisodeWriter, error_line, origins, refusal, root
from .run import Effort, Running, benches, record, running

COUNTED = (
    *("calls", "input_tokens", "cached_tokens", "cache_written_tokens", "output_tokens"),
    *("malformed", "empty", "reviews"),
)
"""What is counted of every episode; the tokens of a cache are among those that came in."""
MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
ONE_AT_A_TIME = threading.Lock()
"""Held by the one conversation that is not waiting for a model: environments and arms need not be safe among threads."""


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
        with plugin_errors(now.environment):
            query = now.environment.open(planned.cell).query
    except PluginFault as fault:
        if writer is None:
            raise
        writer.failed(planned, fault, {})
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
    bench, specs = benches(now), {spec["name"]: spec for spec in now.environment.specs()}
    settings, effort = now.study.manifest["settings"], Effort() if writer is None else writer.effort
    system = system_prompt(settings, now.environment)

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's signature
        if writer is not None and writer.over:
            return state
        this = planned[str(state.sample_id)]
        with _contained(writer, this) as spent:
            with plugin_errors(now.environment):
                episode = now.environment.open(this.cell)
                shown = (
                    episode.offered
                    if isinstance(episode, Offering)
                    else [specs[tool] for tool in episode.tools]
                )
            client = _InspectClient(
                settings,
                [listed(spec["name"], spec["description"], spec["inputSchema"]) for spec in shown],
                effort,
                print if writer is None else writer.trouble,
                spent,
            )
            given = bench(this.cell.task)
            given.ask = client.review
            recorder = EpisodeRecorder(episode, arm_class(this.arm), given)
            state.messages = client.messages
            with _under_way(writer, this, spent):
                said = await client.in_thread(
                    lambda: converse(episode, recorder, client, system, settings["most_steps"])
                )
            with plugin_errors(episode):
                verdict = episode.judge(said)
            usage = {**spent, "cost": None if writer is None else writer.cost(this.agent, spent)}
            line = record(now.study, this, recorder, verdict, said, usage)
            state.metadata["completed"] = line["completed"]
            if writer is not None:
                writer.append(line)
                writer.sent_again(this, client.resent)
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
        writer.failed(planned, fault, spent)


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


class _InspectClient(Client):
    """Asks models of inspect_ai from a thread of its own."""

    def __init__(
        self,
        settings: Json,
        tools: list[ToolInfo],
        effort: Effort,
        trouble: Callable[[str], object],
        usage: Counter[str],
    ) -> None:
        super().__init__({tool.name for tool in tools}, usage)
        self.resent = 0
        """Requests that had to be sent again; no line of the ledger may depend on that."""
        self.user = self._play_user if settings.get("user_model") else None
        self._listed, self._effort, self._trouble = tools, effort, trouble
        self._model = get_model()
        self._user_model = get_model(role=USER) if self.user else None
        # Sent again by PatientModel, which says so: inspect_ai would wait in silence.
        self._config = GenerateConfig(**generation(settings), attempt_timeout=effort.timeout, max_retries=0)
        self._unanswered: Exception | None = None
        """What came of the last question to a model."""

    async def in_thread(self, work: Callable[[], str]) -> str:
        """Do what asks models; a plugin isn't blamed for what a model that it asked did not answer."""

        def alone() -> str:
            with ONE_AT_A_TIME:
                return work()

        try:
            return str(await anyio.to_thread.run_sync(alone, limiter=anyio.CapacityLimiter(1)))
        except PluginFault as fault:
            if self._unanswered is not None and self._unanswered in origins(fault):
                raise self._unanswered from None
            raise

    def message(self, role: str, text: str, call: ToolRequest | None = None) -> Any:
        """Return a message of inspect_ai."""
        if call is not None:
            return ChatMessageTool(content=text, tool_call_id=call.id, function=call.tool)
        return MESSAGES[role](content=text)

    def ask(self) -> ModelTurn:
        """Ask the agent's model for what comes next."""
        output = self._generate(self._model, self.messages, self._listed)
        return ModelTurn(output.message, output.completion, list(map(_call, output.message.tool_calls or ())))

    def review(self, request: str) -> str:
        """Ask the same model, in a conversation of its own."""
        self.usage["reviews"] += 1
        return str(self._generate(self._model, [ChatMessageUser(content=request)]).completion)

    def so_far(self) -> str:
        """Return the conversation, with each call that was made and answered."""
        return "\n".join(_lines(self.messages[1:]))

    def _play_user(self, lines: Sequence[tuple[str, str]]) -> str:
        messages = [MESSAGES[role](content=text) for role, text in lines]
        return str(self._generate(self._user_model, messages, of="user_").completion)

    def _generate(
        self, model: Model, messages: list[Any], tools: Sequence[ToolInfo] = (), of: str = ""
    ) -> ModelOutput:
        ONE_AT_A_TIME.release()
        try:
            return anyio.from_thread.run(self._answer, model, messages, list(tools), of)
        except Exception as error:
            self._unanswered = error
            raise
        finally:
            ONE_AT_A_TIME.acquire()

    async def _answer(self, model: Model, messages: list[Any], tools: list[ToolInfo], of: str) -> ModelOutput:
        output = await PatientModel(model, self._config, self._effort, self._again)(messages, tools)
        self.resent += _resent()
        self.usage.update({f"{of}{kind}": number for kind, number in tokens(output.usage).items()})
        if output.error or not output.choices:
            # The endpoint's fault, not the task's: the episode is tried again.
            raise RuntimeError(f"the model gave no answer: {output.error or 'it was none'}")
        # A model that says nothing has said its last words: that is an outcome.
        self.usage["empty"] += not (output.completion or output.message.tool_calls)
        return output

    def _again(self, trouble: str) -> None:
        self.resent += 1
        self._trouble(trouble)


def _call(call: ToolCall) -> ToolRequest:
    if call.parse_error or not isinstance(call.arguments, dict):
        wrong = call.parse_error or "arguments are no object"
        return ToolRequest(call.id, call.function, None, wrong)
    return ToolRequest(call.id, call.function, call.arguments)


def _lines(messages: Sequence[Any]) -> Iterator[str]:
    answered = {getattr(message, "tool_call_id", None) for message in messages}
    for message in messages:
        if message.text:
            yield f"{message.role}: {message.text}"
        for call in getattr(message, "tool_calls", None) or ():
            if call.id in answered:
                yield f"{message.role} calls {json.dumps({'tool': call.function, 'arguments': call.arguments})}"


def _resent() -> int:
    """Return how often the last request was sent again before it was answered."""
    asked = (event for event in reversed(transcript().events) if isinstance(event, ModelEvent))
    last = next(asked, None)
    return (last.retries or 0) if last is not None else 0


def tokens(usage: Any) -> dict[str, int]:
    """Return the tokens of an answer; inspect_ai counts those of a cache apart, and they are paid for as well."""
    if not usage:
        return {}
    read, written = usage.input_tokens_cache_read or 0, usage.input_tokens_cache_write or 0
    return {
        "input_tokens": usage.input_tokens + read + written,
        "cached_tokens": read,
        "cache_written_tokens": written,
        "output_tokens": usage.output_tokens,
    }


class PatientModel(NamedTuple):
    """Asks a model until there is an answer, at growing distances."""

    model: Model
    config: GenerateConfig
    effort: Effort
    trouble: Callable[[str], object]

    async def __call__(self, messages: list[Any], tools: list[ToolInfo]) -> ModelOutput:
        """Return the answer; raise what another try cannot help."""
        for tried in range(self.effort.retries):
            try:
                return await self.model.generate(messages, tools=tools, config=self.config)
            except Exception as error:
                if refusal(error) or not self.model.should_retry(root(error)):
                    raise
                pause = self.effort.pause * 2**tried
                self.trouble(f"{error_line(error)}; asking again in {pause:.0f} s")
                await anyio.sleep(pause)
        return await self.model.generate(messages, tools=tools, config=self.config)


def listed(name: str, description: str, schema: Json) -> ToolInfo:
    """Return a tool as inspect_ai takes it."""
    known = {"properties": schema.get("properties") or {}, "required": schema.get("required") or []}
    return ToolInfo(name=name, description=description or name, parameters=ToolParams.model_validate(known))
