"""OpenAI Agents SDK: runs with its own scripted model, and the spans that it exports."""

import json

from agents import (
    Agent,
    FunctionTool,
    RunConfig,
    Runner,
    function_tool,
    set_trace_processors,
    set_tracing_disabled,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tracing import TracingProcessor

from outcome_monitors.adapters.openai_agents import watched
from tests.adapters.frameworks import Talk


class Collected(TracingProcessor):
    """Keeps what the SDK exports."""

    def __init__(self):
        self.records = []

    def on_trace_start(self, trace):
        self.records.append(trace.export())

    def on_span_end(self, span):
        self.records.append(span.export())

    def on_trace_end(self, trace):
        pass

    def on_span_start(self, span):
        pass

    def shutdown(self):
        pass

    def force_flush(self):
        pass


def talk(functions, asks, session="s", **how):
    collected = Collected()
    set_tracing_disabled(False)
    set_trace_processors([collected])
    steps = [
        [function_call(name, json.dumps(arguments), call_id=f"c{number}")]
        for number, (name, arguments) in enumerate(asks)
    ]
    tools = [
        function if isinstance(function, FunctionTool) else function_tool(function) for function in functions
    ]
    agent = Agent(
        "shop",
        model=ScriptedModel([*steps, [assistant_message("done")]]),
        tools=watched(tools, **how) if how else tools,
    )
    config = RunConfig(group_id=session) if session else None
    items = Runner.run_sync(agent, "Go on.", max_turns=9999, run_config=config).to_input_list()
    read = [item["output"] for item in items if item.get("type") == "function_call_output"]
    return Talk(read, collected.records)
