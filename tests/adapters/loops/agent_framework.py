"""Microsoft Agent Framework: runs with the middleware, and its spans of OpenTelemetry."""

import asyncio

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from agent_framework.observability import enable_sensitive_telemetry
from opentelemetry import trace

from outcome_monitors.adapters.agent_framework import OutcomeMiddleware
from tests.adapters.loops import functions
from tests.adapters.loops.spans import Collected

COLLECTED = Collected()
# The framework takes the provider of the process, of which there is one.
trace.set_tracer_provider(COLLECTED.provider)
enable_sensitive_telemetry()


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    def __init__(self, calls):
        super().__init__()
        self._asks = [
            Content.from_function_call(f"c{number}", call.tool, arguments=dict(call.arguments))
            for number, call in enumerate(calls)
        ]

    def _inner_get_response(self, *, messages, stream, options, **kwargs):
        async def respond():
            said = self._asks.pop(0) if self._asks else "done"
            return ChatResponse(messages=[Message("assistant", [said])])

        return respond()


def converse(calls, **how):
    COLLECTED.records.clear()

    async def talk():
        tools = [tool(approval_mode="never_require")(function) for function in functions(calls)]
        agent = Agent(Scripted(calls), tools=tools, middleware=[OutcomeMiddleware(**how)])
        await agent.run("Go on.", session=agent.create_session())

    asyncio.run(talk())
    return list(COLLECTED.records)
