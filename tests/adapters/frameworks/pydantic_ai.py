"""Pydantic AI: runs with its own function model, and its spans of OpenTelemetry where the SDK is installed."""

from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from outcome_monitors.adapters.pydantic_ai import OutcomeContracts
from tests.adapters.frameworks import Talk
from tests.adapters.frameworks.spans import Collected


def talk(functions, asks, session="s", **how):
    parts, records = parts_of(functions, asks, session, **how)
    read: list[Any] = []
    for part in parts:
        if isinstance(part, UserPromptPart):
            read[-1] = [{"text": read[-1]}, {"text": part.content}]
        else:
            read.append(
                part.model_response_str() if isinstance(part, ToolReturnPart) else part.model_response()
            )
    return Talk(read, records)


def parts_of(functions, asks, session="s", **how):
    """Return what came back of each call, and the framework's records."""
    collected = Collected()
    steps = iter([ToolCallPart(name, dict(arguments)) for name, arguments in asks])
    model = FunctionModel(lambda _messages, _info: ModelResponse([next(steps, TextPart("done"))]))
    agent = Agent(model, tools=functions, capabilities=[OutcomeContracts(**how)] if how else [])
    agent.instrument = InstrumentationSettings(tracer_provider=collected.provider)
    _, *messages = agent.run_sync("Go on.", conversation_id=session).all_messages()
    parts = [part for message in messages for part in message.parts]
    kinds = (ToolReturnPart, RetryPromptPart, UserPromptPart)
    return [part for part in parts if isinstance(part, kinds)], collected.records
