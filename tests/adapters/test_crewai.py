"""CrewAI: whole crews with a scripted model."""

import asyncio
import json
import os
from importlib.util import find_spec

import pytest

if find_spec("crewai") is None:
    pytest.skip("needs crewai: make compat", allow_module_level=True)

# Before the import, and only where there is something to import: other tests have use for OpenTelemetry.
os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.hooks import unregister_after_tool_call_hook
from crewai.tools import tool

from outcome_monitors.adapters.crewai import register
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, found, is_receipt, receipt_in, watching
from tests.events.shop import order


class Scripted(BaseLLM):
    """Calls tools in its own way, or writes calls in words, as models without one do."""

    native: bool = False

    ids: list[str] = []
    heard: list[str] = []

    def call(self, messages, *args, **kwargs):
        self.heard[:] = [str(message["content"]) for message in messages]
        if self.ids and self.native:
            function = {"name": "get_order", "arguments": json.dumps({"id": self.ids.pop(0)})}
            return [{"id": f"c{len(self.ids)}", "type": "function", "function": function}]
        if self.ids:
            return f'Thought: look\nAction: get_order\nAction Input: {{"id": "{self.ids.pop(0)}"}}'
        return "done" if self.native else "Thought: I now know the final answer\nFinal Answer: done"

    async def acall(self, messages, *args, **kwargs):
        return self.call(messages, *args, **kwargs)

    def supports_function_calling(self):
        return self.native


@tool("get_order")
def get_order(id: str) -> dict:
    """Get an order."""
    return found(id)


def run(llm, *, later=False):
    agent = Agent(role="shop", goal="g", backstory="b", llm=llm, tools=[get_order])
    task = Task(description="Where is my order?", expected_output="where", agent=agent)
    crew = Crew(agents=[agent], tasks=[task])
    assert "done" in (asyncio.run(crew.akickoff()) if later else crew.kickoff()).raw
    return "\n".join(llm.heard)


@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("native", [False, True])
def test_a_dict_stays_as_python_prints_it(native, later):
    without = run(Scripted(model="scripted", native=native, ids=[BAD]), later=later)
    watch, kept = watching()
    hook = register(watch)
    try:
        read = run(Scripted(model="scripted", native=native, ids=[CLEAN, BAD, RAISES]), later=later)
    finally:
        unregister_after_tool_call_hook(hook)
    assert str(WRONG) in without
    assert str(order(1)) in read
    assert f"{WRONG}\n\n" in read
    wrong = read.partition(f"{WRONG}\n\n")[2].partition("\n")[0]
    assert is_receipt(receipt_in(wrong))
    assert kept.outcomes[:2] == ["clean", "flagged"]
    assert set(kept.outcomes[2:]) <= {"not_checked"}
    assert len({event.session for event in kept.events}) == 1
