"""LangChain: an agent with the middleware."""

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, messages_to_dict
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from outcome_monitors.adapters.langchain import OutcomeMiddleware
from tests.adapters.loops import functions


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


def asked(calls):
    """Return what the model says: one call after the other."""
    return [
        AIMessage("", tool_calls=[{"name": call.tool, "args": dict(call.arguments), "id": f"c{number}"}])
        for number, call in enumerate(calls)
    ]


def converse(calls, **how):
    model = Scripted(messages=iter([*asked(calls), AIMessage("done")]))
    agent = create_agent(
        model,
        [*map(tool, functions(calls))],
        middleware=[OutcomeMiddleware(**how)],
        checkpointer=InMemorySaver(),
    )
    state = agent.invoke(
        {"messages": [HumanMessage("Go on.")]},
        {"configurable": {"thread_id": calls[0].session}, "recursion_limit": 9999},
    )
    return [{"messages": messages_to_dict(state["messages"]), "session_id": calls[0].session}]
