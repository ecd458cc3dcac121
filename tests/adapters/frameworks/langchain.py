"""LangChain: an agent with the middleware."""

import asyncio

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, messages_to_dict
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver

from outcome_monitors.adapters.langchain import OutcomeMiddleware
from tests.adapters.frameworks import Talk


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


def asked(asks):
    """Return what the model says: one call after the other."""
    said = [
        AIMessage("", tool_calls=[{"name": name, "args": dict(arguments), "id": f"c{number}"}])
        for number, (name, arguments) in enumerate(asks)
    ]
    return iter([*said, AIMessage("done")])


def over(state, session):
    """Return the conversation that a state holds."""
    read = [message.content for message in state["messages"] if isinstance(message, ToolMessage)]
    return Talk(read, [{"messages": messages_to_dict(state["messages"]), "session_id": session}])


def state_of(functions, asks, session="s", *, later=False, others=(), **how):
    """Return the state at the end; `others` are middlewares around ours."""
    agent = create_agent(
        Scripted(messages=asked(asks)),
        [function if isinstance(function, BaseTool) else tool(function) for function in functions],
        middleware=[*others, *([OutcomeMiddleware(**how)] if how else [])],
        checkpointer=InMemorySaver(),
    )
    ask = {"messages": [HumanMessage("Go on.")]}
    config = {"configurable": {"thread_id": session}, "recursion_limit": 9999}
    return asyncio.run(agent.ainvoke(ask, config)) if later else agent.invoke(ask, config)


def talk(functions, asks, session="s", **how):
    return over(state_of(functions, asks, session, **how), session)
