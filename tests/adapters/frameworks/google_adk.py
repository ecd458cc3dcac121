"""Google ADK: runs with the plugin, and its spans of OpenTelemetry."""

import asyncio
import json
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
from tests.adapters.frameworks import Talk
from tests.adapters.frameworks.spans import Collected

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


def talk(functions, asks, session="s", **how):
    COLLECTED.records.clear()

    async def run():
        agent = LlmAgent(
            name="shop", model=Scripted(model="scripted", asks=list(asks)), tools=list(functions)
        )
        plugins = [OutcomePlugin(**how)] if how else []
        runner = InMemoryRunner(app=App(name="shop", root_agent=agent, plugins=plugins))
        known = await runner.session_service.create_session(app_name="shop", user_id="u", session_id=session)
        ask = types.Content(role="user", parts=[types.Part.from_text(text="Go on.")])
        read = []
        async for event in runner.run_async(user_id="u", session_id=known.id, new_message=ask):
            read += [json.dumps(response.response) for response in event.get_function_responses()]
        return read

    return Talk(asyncio.run(run()), list(COLLECTED.records))
