"""Pydantic AI: runs with its own function model, and its spans of OpenTelemetry where the SDK is installed."""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.instrumented import InstrumentationSettings

from outcome_monitors.adapters.pydantic_ai import OutcomeContracts
from tests.adapters.loops import functions
from tests.adapters.loops.spans import Collected


def converse(calls, **how):
    collected = Collected()
    steps = iter([ToolCallPart(call.tool, dict(call.arguments)) for call in calls])
    model = FunctionModel(lambda _messages, _info: ModelResponse([next(steps, TextPart("done"))]))
    agent = Agent(model, tools=functions(calls), capabilities=[OutcomeContracts(**how)])
    agent.instrument = InstrumentationSettings(tracer_provider=collected.provider)
    agent.run_sync("Go on.", conversation_id=calls[0].session)
    return collected.records
