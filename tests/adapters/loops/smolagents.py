"""smolagents: runs of a tool-calling agent."""

from smolagents import Model, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
)

from outcome_monitors.adapters.smolagents import watched
from tests.adapters.loops import functions


class Scripted(Model):
    def __init__(self, calls):
        super().__init__()
        self._steps = iter([(call.tool, dict(call.arguments)) for call in calls])

    def generate(self, messages, **kwargs):
        name, arguments = next(self._steps, ("final_answer", {"answer": "done"}))
        call = ChatMessageToolCallFunction(name=name, arguments=arguments)
        calls = [ChatMessageToolCall(id="c1", type="function", function=call)]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=calls)


def converse(calls, **how):
    tools = [*map(tool, functions(calls))]
    agent = ToolCallingAgent(tools=tools, model=Scripted(calls), verbosity_level=0, max_steps=len(calls) + 1)
    assert watched(agent, **how).run("Go on.") == "done"
    return []
