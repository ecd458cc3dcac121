"""LangGraph: a graph of a scripted model and a tool node."""

import asyncio

from langchain_core.messages import HumanMessage
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from outcome_monitors.adapters.langgraph import watched
from tests.adapters.frameworks.langchain import asked, over


def state_of(functions, asks, session="s", *, later=True, state=MessagesState, **how):
    """Return the state at the end."""
    said = asked(asks)
    tools = [function if isinstance(function, BaseTool) else tool(function) for function in functions]
    graph = StateGraph(state)
    graph.add_node("model", lambda _state: {"messages": [next(said)]})
    graph.add_node("tools", ToolNode(tools, **(watched(**how) if how else {})))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    compiled = graph.compile(checkpointer=InMemorySaver())
    ask = {"messages": [HumanMessage("Go on.")]}
    config = {"configurable": {"thread_id": session}, "recursion_limit": 9999}
    return asyncio.run(compiled.ainvoke(ask, config)) if later else compiled.invoke(ask, config)


def talk(functions, asks, session="s", **how):
    return over(state_of(functions, asks, session, **how), session)
