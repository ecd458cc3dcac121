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
from tests.adapters.frameworks import Talk
from tests.adapters.frameworks.spans import Collected

COLLECTED = Collected()
# The framework takes the provider of the process, of which there is one.
trace.set_tracer_provider(COLLECTED.provider)
enable_sensitive_telemetry()


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    def __init__(self, asks):
        super().__init__()
        self.heard = []
        self._asks = [
            Content.from_function_call(f"c{number}", name, arguments=arguments)
            for number, (name, arguments) in enumerate(asks)
        ]

    def _inner_get_response(self, *, messages, stream, options, **kwargs):
        async def respond():
            self.heard = list(messages)
            said = self._asks.pop(0) if self._asks else "done"
            return ChatResponse(messages=[Message("assistant", [said])])

        return respond()


def talk(functions, asks, session="s", **how):
    COLLECTED.records.clear()
    client = Scripted(asks)

    async def run():
        tools = [tool(approval_mode="never_require")(function) for function in functions]
        agent = Agent(client, tools=tools, middleware=[OutcomeMiddleware(**how)] if how else [])
        await agent.run("Go on.", session=agent.create_session() if session else None)

    asyncio.run(run())
    contents = [content for message in client.heard for content in message.contents]
    read = [content.exception or content.result for content in contents if content.type == "function_result"]
    return Talk(read, list(COLLECTED.records))
