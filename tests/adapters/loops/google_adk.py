"""Google ADK: runs with the plugin, and its spans of OpenTelemetry."""

import asyncio
import os

# Before the import: what is called and given back is content, which is recorded on request alone.
os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental")
os.environ.setdefault("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from opentelemetry import trace

from outcome_monitors.adapters.google_adk import OutcomePlugin
from tests.adapters.loops import functions
from tests.adapters.loops.spans import Collected

COLLECTED = Collected()
# The framework takes the provider of the process, of which there is one.
trace.set_tracer_provider(COLLECTED.provider)


class Scripted(BaseLlm):
    asks: list[tuple[str, dict]]

    async def generate_content_async(self, llm_request, stream=False):
        part = types.Part.from_text(text="done")
        if self.asks:
            name, arguments = self.asks.pop(0)
            part = types.Part.from_function_call(name=name, args=arguments)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def converse(calls, **how):
    asks = [(call.tool, dict(call.arguments)) for call in calls]
    COLLECTED.records.clear()

    async def talk():
        model = Scripted(model="scripted", asks=asks)
        agent = LlmAgent(name="shop", model=model, tools=functions(calls))
        runner = InMemoryRunner(app=App(name="shop", root_agent=agent, plugins=[OutcomePlugin(**how)]))
        session = await runner.session_service.create_session(
            app_name="shop", user_id="u", session_id=calls[0].session
        )
        ask = types.Content(role="user", parts=[types.Part.from_text(text="Go on.")])
        async for _ in runner.run_async(user_id="u", session_id=session.id, new_message=ask):
            pass

    asyncio.run(talk())
    return list(COLLECTED.records)
