"""smolagents: runs of a tool-calling agent."""

from smolagents import Model, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
)

from outcome_monitors.adapters.smolagents import watched
from tests.adapters.frameworks import Talk


class Scripted(Model):
    def __init__(self, asks):
        super().__init__()
        self._steps = iter([(name, dict(arguments)) for name, arguments in asks])

    def generate(self, messages, **kwargs):
        name, arguments = next(self._steps, ("final_answer", {"answer": "done"}))
        call = ChatMessageToolCallFunction(name=name, arguments=arguments)
        calls = [ChatMessageToolCall(id="c1", type="function", function=call)]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=calls)


def agent_of(functions, asks):
    return ToolCallingAgent(
        tools=[*map(tool, functions)], model=Scripted(asks), verbosity_level=0, max_steps=len(asks) + 1
    )


def talk(functions, asks, session="s", **how):
    agent = agent_of(functions, asks)
    assert (watched(agent, **how) if how else agent).run("Go on.") == "done"
    steps = agent.memory.steps[1 : len(asks) + 1]
    return Talk([str(step.error) if step.error else step.observations for step in steps])
