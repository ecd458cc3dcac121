"""CrewAI: crews of one agent, whose model calls tools in its own way, or writes calls in words, as models without one do."""

import asyncio
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
from tests.adapters.frameworks import Talk


class Scripted(BaseLLM):
    native: bool = True
    asks: list[dict] = []
    heard: list[dict] = []

    def call(self, messages, *args, **kwargs):
        self.heard[:] = map(dict, messages)
        if not self.asks:
            return "done" if self.native else "Thought: I now know the final answer\nFinal Answer: done"
        ask = self.asks.pop(0)
        if self.native:
            return [{"id": f"c{len(self.asks)}", "type": "function", "function": ask}]
        return f"Thought: look\nAction: {ask['name']}\nAction Input: {ask['arguments']}"

    async def acall(self, messages, *args, **kwargs):
        return self.call(messages, *args, **kwargs)

    def supports_function_calling(self):
        return self.native


def talk(functions, asks, session="s", *, native=True, later=False, **how):
    asked = [{"name": name, "arguments": json.dumps(dict(arguments))} for name, arguments in asks]
    model = Scripted(model="scripted", native=native, asks=asked)
    tools = [tool(function.__name__)(function) for function in functions]
    agent = Agent(role="shop", goal="g", backstory="b", llm=model, tools=tools, cache=False)
    task = Task(description="Go on.", expected_output="done", agent=agent)
    crew = Crew(agents=[agent], tasks=[task])
    hook = register(**how) if how else None
    try:
        assert "done" in (asyncio.run(crew.akickoff()) if later else crew.kickoff()).raw
    finally:
        if hook is not None:
            unregister_after_tool_call_hook(hook)
    read = [str(message["content"]) for message in model.heard if message["role"] == "tool"]
    return Talk(read) if native else Talk([str(message["content"]) for message in model.heard])
