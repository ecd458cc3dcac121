"""OpenAI Agents SDK: runs with its own scripted model, and the spans that it exports."""

import json

from agents import Agent, RunConfig, Runner, function_tool, set_trace_processors, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tracing import TracingProcessor

from outcome_monitors.adapters.openai_agents import watched
from tests.adapters.loops import functions


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


def converse(calls, **how):
    collected = Collected()
    set_tracing_disabled(False)
    set_trace_processors([collected])
    steps = [
        [function_call(call.tool, json.dumps(call.arguments), call_id=f"c{number}")]
        for number, call in enumerate(calls)
    ]
    model = ScriptedModel([*steps, [assistant_message("done")]])
    tools = watched([*map(function_tool, functions(calls))], **how)
    Runner.run_sync(
        Agent("shop", model=model, tools=tools),
        "Go on.",
        max_turns=9999,
        run_config=RunConfig(group_id=calls[0].session),
    )
    return collected.records
