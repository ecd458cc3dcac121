"""A study's missing episodes as a task of inspect_ai: one sample an episode, the arm in its metadata."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from inspect_ai import Task
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

from ._json import written
from ._plugin_loading import PluginFault, plugin_errors
from .arms import arm_class
from .design import generation, system_prompt
from .environments.environment import Conversing, Episode, Offering
from .manifest import Planned
from .models import USER, EpisodeWriter, error_line, is_rejected, origins, refusal, root
from .recorder import EpisodeRecorder
from .run import Effort, benches, record

COUNTED = (
    *("calls", "input_tokens", "cached_tokens", "cache_written_tokens", "output_tokens"),
    *("malformed", "empty", "reviews"),
)
"""What is counted of every episode; the tokens of a cache are among those that came in."""
MESSAGES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
ONE_AT_A_TIME = threading.Lock()
"""Held by the one conversation that is not waiting for a model: environments and arms need not be safe among threads."""


def episodes(writer: EpisodeWriter, agent: str) -> Task:
    """Return the missing episodes of an agent; each goes to the writer when it ends."""
    planned = {each.name: each for each in writer.now.left if each.agent == agent}
    samples = [sample for each in planned.values() for sample in _samples(writer, each)]
    return Task(
        dataset=MemoryDataset(samples),
        solver=_episode(writer, planned),
        scorer=_completed(),
        name="outcome_study",
    )


def _samples(writer: EpisodeWriter, planned: Planned) -> Iterator[Sample]:
    """Yield an episode's sample; none where a plugin cannot open it."""
    place = writer.now.environment
    try:
        with plugin_errors(place):
            query = place.open(planned.cell).query
    except PluginFault as fault:
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
def _episode(writer: EpisodeWriter, planned: dict[str, Planned]) -> Solver:
    now = writer.now
    bench, specs = benches(now), {spec["name"]: spec for spec in now.environment.specs()}
    settings = now.study.manifest["settings"]
    system = system_prompt(settings, now.environment)

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - inspect_ai's signature
        if writer.over:
            return state
        this = planned[str(state.sample_id)]
        with _under_way(writer, this) as spent:
            with plugin_errors(now.environment):
                episode = now.environment.open(this.cell)
                named = [specs[tool] for tool in episode.tools]
                shown = episode.offered if isinstance(episode, Offering) else named
            client = _Client(settings, list(map(_listed, shown)), writer.effort, writer.trouble, spent)
            given = bench(this.cell.task)
            given.ask = client.review
            recorder = EpisodeRecorder(episode, arm_class(this.arm), given)
            state.messages = client.messages
            said = await client.in_thread(
                lambda: converse(episode, recorder, client, system, settings["most_steps"])
            )
            with plugin_errors(episode):
                verdict = episode.judge(said)
            usage = {**spent, "cost": writer.cost(this.agent, spent)}
            line = record(now.study, this, recorder, verdict, said, usage)
            state.metadata["completed"] = line["completed"]
            writer.append(line)
            writer.sent_again(this, client.resent)
        return state

    return solve


@contextmanager
def _under_way(writer: EpisodeWriter, planned: Planned) -> Iterator[Counter[str]]:
    """Give the counts of an episode, and note how it broke off; where another try may help, inspect_ai makes it."""
    spent = Counter(dict.fromkeys(COUNTED, 0))
    writer.budget.under_way += 1
    try:
        yield spent
    except PluginFault as fault:
        writer.failed(planned, fault, spent)
    except OutcomeMonitorsError as error:
        # A task file or a server is wrong, not the endpoint: another try would end in the same way.
        writer.stopped = error
        raise
    except Exception as error:
        writer.failed(planned, error, spent)
        if not is_rejected(error):
            raise
    finally:
        writer.budget.under_way -= 1


def converse(episode: Episode, recorder: EpisodeRecorder, client: "_Client", system: str, most: int) -> str:
    """Talk until the model has said its last words, or has no steps left, and return them."""
    user = episode if isinstance(episode, Conversing) else None
    with plugin_errors(episode):
        query = episode.query if user is None else user.opening(client.user)
    client.messages += [ChatMessageSystem(content=system), ChatMessageUser(content=query)]
    said = ""
    for _ in range(most):
        output = client.ask()
        said, calls = output.completion, output.message.tool_calls or []
        client.messages.append(output.message)
        for call in calls:
            text = written(_result(call, episode, recorder, client))
            client.messages.append(
                ChatMessageTool(content=text, tool_call_id=call.id, function=call.function)
            )
        with plugin_errors(episode):
            if user is not None and user.over:
                break
        if not calls:
            more = recorder.after(said)
            if more is None and user is not None:
                with plugin_errors(episode):
                    more = user.reply(said, client.user)
            if more is None:
                break
            client.messages.append(ChatMessageUser(content=more))
    return said


def _result(call: ToolCall, episode: Episode, recorder: EpisodeRecorder, client: "_Client") -> Json:
    client.usage["calls"] += 1
    if call.parse_error or not isinstance(call.arguments, dict):
        client.usage["malformed"] += 1
        return {"error": f"The call could not be read: {call.parse_error or 'arguments are no object'}."}
    if call.function not in client.tools:
        return {"error": f"There is no tool {call.function}."}
    tool: str = call.function
    arguments: Mapping[str, Json] = call.arguments
    if isinstance(episode, Offering):
        with plugin_errors(episode):
            tool, arguments = episode.named(tool, arguments)
    instead = recorder.before(tool, arguments, client.so_far)
    return recorder(tool, arguments) if instead is None else instead


class _Client:
    """Asks models of inspect_ai from a thread of its own."""

    def __init__(
        self,
        settings: Json,
        tools: list[ToolInfo],
        effort: Effort,
        trouble: Callable[[str], object],
        usage: Counter[str],
    ) -> None:
        self.messages: list[Any] = []
        self.tools = {tool.name for tool in tools}
        self.usage = usage
        self.resent = 0
        """Requests that had to be sent again; no line of the ledger may depend on that."""
        self.user = self._play_user if settings.get("user_model") else None
        """Asks the model that plays the user; None where the user is a script."""
        self._listed, self._effort, self._trouble = tools, effort, trouble
        self._model = get_model()
        self._user_model = get_model(role=USER) if self.user else None
        # Sent again by `_patiently`, which says so: inspect_ai would wait in silence.
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

    def ask(self) -> ModelOutput:
        """Ask the agent's model for what comes next."""
        return self._generate(self._model, self.messages, self._listed)

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
        output = await self._patiently(model, messages, tools)
        self.resent += _resent()
        self.usage.update({f"{of}{kind}": number for kind, number in _tokens(output.usage).items()})
        if output.error or not output.choices:
            # The endpoint's fault, not the task's: the episode is tried again.
            raise RuntimeError(f"the model gave no answer: {output.error or 'it was none'}")
        # A model that says nothing has said its last words: that is an outcome.
        self.usage["empty"] += not (output.completion or output.message.tool_calls)
        return output

    async def _patiently(self, model: Model, messages: list[Any], tools: list[ToolInfo]) -> ModelOutput:
        """Ask until there is an answer, at growing distances; raise what another try cannot help."""
        for tried in range(self._effort.retries):
            try:
                return await model.generate(messages, tools=tools, config=self._config)
            except Exception as error:
                if refusal(error) or not model.should_retry(root(error)):
                    raise
                self.resent += 1
                pause = self._effort.pause * 2**tried
                self._trouble(f"{error_line(error)}; asking again in {pause:.0f} s")
                await anyio.sleep(pause)
        return await model.generate(messages, tools=tools, config=self._config)


def _resent() -> int:
    """Return how often the last request was sent again before it was answered."""
    asked = (event for event in reversed(transcript().events) if isinstance(event, ModelEvent))
    last = next(asked, None)
    return (last.retries or 0) if last is not None else 0


def _lines(messages: Sequence[Any]) -> Iterator[str]:
    answered = {getattr(message, "tool_call_id", None) for message in messages}
    for message in messages:
        if message.text:
            yield f"{message.role}: {message.text}"
        for call in getattr(message, "tool_calls", None) or ():
            if call.id in answered:
                yield f"{message.role} calls {json.dumps({'tool': call.function, 'arguments': call.arguments})}"


def _tokens(usage: Any) -> dict[str, int]:
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


def _listed(spec: Json) -> ToolInfo:
    """Return a tool as inspect_ai takes it."""
    schema = spec["inputSchema"]
    known = {"properties": schema.get("properties") or {}, "required": schema.get("required") or []}
    said = spec["description"] or spec["name"]
    return ToolInfo(name=spec["name"], description=said, parameters=ToolParams.model_validate(known))
