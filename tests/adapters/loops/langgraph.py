"""LangGraph: a graph of a scripted model and a tool node."""

import asyncio

from langchain_core.messages import AIMessage, HumanMessage, messages_to_dict
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from outcome_monitors.adapters.langgraph import watched
from tests.adapters.loops import functions
from tests.adapters.loops.langchain import asked


def converse(calls, **how):
    said = iter([*asked(calls), AIMessage("done")])
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda _state: {"messages": [next(said)]})
    graph.add_node("tools", ToolNode([*map(tool, functions(calls))], **watched(**how)))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    asking = graph.compile(checkpointer=InMemorySaver()).ainvoke(
        {"messages": [HumanMessage("Go on.")]},
        {"configurable": {"thread_id": calls[0].session}, "recursion_limit": 9999},
    )
    state = asyncio.run(asking)
    return [{"messages": messages_to_dict(state["messages"]), "session_id": calls[0].session}]
