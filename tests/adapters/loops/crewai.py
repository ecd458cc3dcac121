"""CrewAI: crews of one agent."""

import json
import os

# Before the import.
os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.hooks import unregister_after_tool_call_hook
from crewai.tools import tool

from outcome_monitors.adapters.crewai import register
from tests.adapters.loops import functions


class Scripted(BaseLLM):
    asks: list[dict] = []

    def call(self, messages, *args, **kwargs):
        if not self.asks:
            return "done"
        return [{"id": f"c{len(self.asks)}", "type": "function", "function": self.asks.pop(0)}]

    def supports_function_calling(self):
        return True


def converse(calls, **how):
    asks = [{"name": call.tool, "arguments": json.dumps(dict(call.arguments))} for call in calls]
    tools = [tool(function.__name__)(function) for function in functions(calls)]
    agent = Agent(
        role="shop",
        goal="g",
        backstory="b",
        llm=Scripted(model="scripted", asks=asks),
        tools=tools,
        cache=False,
    )
    task = Task(description="Go on.", expected_output="done", agent=agent)
    hook = register(**how)
    try:
        Crew(agents=[agent], tasks=[task]).kickoff()
    finally:
        unregister_after_tool_call_hook(hook)
    return []
