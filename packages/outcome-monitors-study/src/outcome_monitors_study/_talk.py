"""One conversation of a model with its tools, under an arm, through inspect_ai."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import anyio
import anyio.from_thread
import anyio.to_thread
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
from inspect_ai.tool import ToolCall, ToolInfo

from outcome_monitors.model import Json

from ._endpoint import origins, refusal, root, told
from ._entry_points import PluginFault, blamed
from ._recorder import EpisodeRecorder
from .arms import Arm
from .environments import Conversing, Episode, Offering
from .generation import generation
from .models import USER
from .run import Effort

__all__ = ["COUNTED", "PatientModel", "Talk", "tokens"]

COUNTED = (
    "calls",
    "input_tokens",
    "cached_tokens",
    "cache_written_tokens",
    "output_tokens",
    "malformed",
    "empty",
    "reviews",
)
"""What is counted of every episode; the tokens of a cache are among those that came in."""


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
                self.trouble(f"{told(error)}; asking again in {pause:.0f} s")
                await anyio.sleep(pause)
        return await self.model.generate(messages, tools=tools, config=self.config)


def _lines(messages: Sequence[Any]) -> Iterator[str]:
    """Yield a conversation as a reviewer reads it: what was said, and each call that was made and answered."""
    answered = {getattr(message, "tool_call_id", None) for message in messages}
    for message in messages:
        if message.text:
            yield f"{message.role}: {message.text}"
        for call in getattr(message, "tool_calls", None) or ():
            if call.id in answered:
                yield f"{message.role} calls {json.dumps({'tool': call.function, 'arguments': call.arguments})}"


class Talk:
    """One conversation of a model with its tools, under an arm."""

    recorder: EpisodeRecorder

    def __init__(
        self,
        model: Model,
        settings: Json,
        episode: Episode,
        tools: list[ToolInfo],
        effort: Effort,
        trouble: Callable[[str], object],
    ) -> None:
        self.messages: list[Any] = []
        self.usage: Counter[str] = Counter(dict.fromkeys(COUNTED, 0))
        self.resent = 0
        """Requests that had to be sent again; no line of the ledger may depend on that."""
        self._unanswered: Exception | None = None
        """What came of a question that an episode or an arm asked a model."""
        self._model = model
        self._user = get_model(role=USER) if settings.get("user_model") else None
        self._episode = episode
        self._tools = tools
        self._config = GenerateConfig(
            **generation(settings),
            attempt_timeout=effort.timeout,
            # Sent again here, where it can be told: inspect_ai would wait in silence.
            max_retries=0,
        )
        self._effort, self._trouble = effort, trouble
        self._most = settings["most_steps"]
        self._system = settings["system_prompt"]

    async def through(self) -> str:
        """Talk until the model has said its last words, or has no steps left, and return them."""
        with self._blaming(self._episode):
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
            if self._nobody_is_there():
                break
            if not output.message.tool_calls:
                more = self.recorder.after(answer)
                if more is None and isinstance(self._episode, Conversing):
                    with self._blaming(self._episode):
                        more = await anyio.to_thread.run_sync(self._episode.reply, answer, self._ask)
                if more is None:
                    break
                self.messages.append(ChatMessageUser(content=more))
        return answer

    def _nobody_is_there(self) -> bool:
        """Say whether the user has left in the middle of things."""
        with self._blaming(self._episode):
            return isinstance(self._episode, Conversing) and self._episode.over

    @contextmanager
    def _blaming(self, part: Any) -> Iterator[None]:
        """Blame a plugin for what it raises, and not for what a model that it asked did not answer."""
        try:
            with blamed(part):
                yield
        except PluginFault as fault:
            if self._unanswered is not None and self._unanswered in origins(fault):
                raise self._unanswered from None
            raise

    async def _said(
        self, messages: list[Any], tools: list[ToolInfo], model: Model | None = None, whose: str = ""
    ) -> ModelOutput:
        asked = PatientModel(self._model if model is None else model, self._config, self._effort, self._again)
        output = await asked(messages, tools)
        self.resent += _resent()
        self.usage.update({f"{whose}{kind}": number for kind, number in tokens(output.usage).items()})
        if output.error or not output.choices:
            # The endpoint's fault, not the task's: the episode is tried again.
            raise RuntimeError(f"the model gave no answer: {output.error or 'it was none'}")
        # A model that says nothing has said its last words: that is an outcome.
        self.usage["empty"] += not (output.completion or output.message.tool_calls)
        return output

    def _again(self, trouble: str) -> None:
        self.resent += 1
        self._trouble(trouble)

    async def _result(self, call: ToolCall) -> Json:
        self.usage["calls"] += 1
        if call.parse_error or not isinstance(call.arguments, dict):
            self.usage["malformed"] += 1
            return {"error": f"The call could not be read: {call.parse_error or 'arguments are no object'}."}
        if call.function not in {tool.name for tool in self._tools}:
            return {"error": f"There is no tool {call.function}."}
        meant: tuple[str, Mapping[str, Json]] = call.function, call.arguments
        if isinstance(self._episode, Offering):
            with self._blaming(self._episode):
                meant = self._episode.named(*meant)
        told = await self._told_before(*meant)
        return told if told is not None else self.recorder(*meant)

    async def _told_before(self, tool: str, arguments: Mapping[str, Json]) -> Json | None:
        if type(self.recorder.arm).before is Arm.before:
            return None
        said = "\n".join(_lines(self.messages[1:]))
        # An arm may ask a second model, and waits for it: not on the thread that everything runs on.
        with self._blaming(self.recorder.arm):
            return await anyio.to_thread.run_sync(self.recorder.arm.before, tool, arguments, said)

    def reviewed(self, request: str) -> str:
        """Ask the same model, in a conversation of its own."""
        self.usage["reviews"] += 1
        return self._answered([ChatMessageUser(content=request)])

    @property
    def _ask(self) -> Any:
        """What asks the model that plays the user; None where the user is a script."""
        return None if self._user is None else self._asked

    def _asked(self, lines: Sequence[tuple[str, str]]) -> str:
        made = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
        messages = [made[role](content=text) for role, text in lines]
        return self._answered(messages, self._user, "user_")

    def _answered(self, messages: list[Any], model: Model | None = None, whose: str = "") -> str:
        """Ask from another thread; what goes wrong there is the endpoint's, whoever asks."""
        try:
            return str(anyio.from_thread.run(self._said, messages, [], model, whose).completion)
        except Exception as error:
            self._unanswered = error
            raise
