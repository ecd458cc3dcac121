"""LangChain and LangGraph: whole agent loops with a scripted model."""

import asyncio
import json
from types import SimpleNamespace
from typing import Annotated

import pytest

pytest.importorskip("langchain.agents.middleware", reason="needs langchain 1.x: make compat")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command

from outcome_monitors.adapters.langchain import OutcomeMiddleware
from outcome_monitors.adapters.langgraph import watched
from outcome_monitors.events import Watch
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, Broken, found, is_receipt, watching
from tests.events.shop import Kept, order, remembering

ASK = {"messages": [HumanMessage("Where is my order?")]}


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


@tool
def get_order(id: str) -> dict:
    """Get an order."""
    return found(id)


@tool(response_format="content_and_artifact")
def get_blocks(id: str):
    """Get an order, as an MCP tool gives it."""
    return [{"type": "text", "text": "an order"}], {"structured_content": found(id)}


@tool
def hand_over() -> Command:
    """Hand over."""
    return Command(update={"messages": [ToolMessage("done", tool_call_id="c0")]})


def script(*ids, name="get_order"):
    calls = [
        AIMessage("", tool_calls=[{"name": name, "args": {"id": id} if id else {}, "id": f"c{number}"}])
        for number, id in enumerate(ids)
    ]
    return Scripted(messages=iter([*calls, AIMessage("done")]))


def told(state):
    return [message for message in state["messages"] if isinstance(message, ToolMessage)]


def check(messages):
    clean, wrong = messages
    assert json.loads(clean.content) == order(1)
    said = json.loads(wrong.content)
    assert said["tool_result"] == WRONG
    assert json.dumps(WRONG) in wrong.content
    assert is_receipt(said["outcome_contract"])
    assert wrong.tool_call_id == "c1"


@pytest.mark.parametrize("later", [False, True])
def test_an_agent(later):
    watch, kept = watching()
    agent = create_agent(script(CLEAN, BAD), [get_order], middleware=[OutcomeMiddleware(watch)])
    state = asyncio.run(agent.ainvoke(ASK)) if later else agent.invoke(ASK)
    check(told(state))
    assert kept.outcomes == ["clean", "flagged"]
    assert len({event.session for event in kept.events}) == 1


@pytest.mark.parametrize("later", [False, True])
def test_a_tool_node(later):
    watch, kept = watching()
    graph = StateGraph(MessagesState)
    model = script(CLEAN, BAD)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([get_order], **watched(watch)))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", lambda state: "tools" if state["messages"][-1].tool_calls else END)
    graph.add_edge("tools", "model")
    compiled = graph.compile()
    state = asyncio.run(compiled.ainvoke(ASK)) if later else compiled.invoke(ASK)
    check(told(state))
    assert kept.outcomes == ["clean", "flagged"]


def test_the_message_of_a_clean_result_is_the_very_same():
    watch, _ = watching()
    messages = []

    def handler(_request):
        messages.append(ToolMessage(json.dumps(order(1)), tool_call_id="c0", name="get_order"))
        return messages[0]

    class Request:
        tool_call = {"name": "get_order", "args": {"id": "W1"}, "id": "c0"}
        state = ASK

        runtime = SimpleNamespace(config={}, tools=[])

    assert OutcomeMiddleware(watch).wrap_tool_call(Request(), handler) is messages[0]


def test_what_a_tool_raises_passes():
    watch, kept = watching()
    agent = create_agent(script(RAISES), [get_order], middleware=[OutcomeMiddleware(watch)])
    with pytest.raises(Broken):
        agent.invoke(ASK)
    assert [event.why for event in kept.events] == ["the call raised Broken"]


def test_errors_are_not_checked_and_commands_are_looked_into():
    watch, kept = watching()
    agent = create_agent(script("W1", name="get_oder"), [get_order], middleware=[OutcomeMiddleware(watch)])
    [message] = told(agent.invoke(ASK))
    assert message.status == "error"
    create_agent(script(None, name="hand_over"), [hand_over], middleware=[OutcomeMiddleware(watch)]).invoke(
        ASK
    )
    assert kept.outcomes == ["not_checked", "not_covered"]


def test_structured_content_of_mcp_tools_is_what_is_checked():
    watch, _ = watching()
    watch.monitor._contracts["get_blocks"] = watch.monitor._contracts["get_order"]
    agent = create_agent(script(BAD, name="get_blocks"), [get_blocks], middleware=[OutcomeMiddleware(watch)])
    [message] = told(agent.invoke(ASK))
    first, last = message.content
    assert first == {"type": "text", "text": "an order"}
    assert is_receipt(json.loads(last["text"])["outcome_contract"])
    assert message.artifact == {"structured_content": WRONG}


def test_each_thread_has_a_memory_of_its_own():
    kept = Kept()
    statuses = iter(["paid", "sent", "sent"])

    @tool("get_order")
    def changing() -> dict:
        """Get an order."""
        return {"order_id": "W1", "status": next(statuses)}

    middleware = [OutcomeMiddleware(Watch(remembering(), kept))]
    saver = InMemorySaver()
    for thread in ("a", "a", "b"):
        agent = create_agent(script(None), [changing], middleware=middleware, checkpointer=saver)
        agent.invoke(ASK, {"configurable": {"thread_id": thread}})
    assert [(event.session, event.outcome) for event in kept.events] == [
        ("a", "clean"),
        ("a", "flagged"),
        ("b", "clean"),
    ]


@pytest.mark.parametrize("tool", [get_order, get_blocks])
def test_what_the_model_reads_of_a_flagged_result_is_written_as_it_is_without_us(tool):
    watch, _ = watching()
    watch.monitor._contracts["get_blocks"] = watch.monitor._contracts["get_order"]

    def read(*middleware):
        agent = create_agent(script(BAD, name=tool.name), [tool], middleware=middleware)
        [message] = told(agent.invoke(ASK))
        return message.content

    raw, flagged = read(), read(OutcomeMiddleware(watch))
    assert raw in flagged if isinstance(raw, str) else flagged[: len(raw)] == raw
    assert raw != flagged


class Counting(MessagesState):
    count: int


def answers(id, call_id):
    """Return what a tool hands on when it answers by a command, one among others, or a list of both."""
    said = ToolMessage(json.dumps(found(id)), tool_call_id=call_id, name="get_order")
    return {
        "command": Command(update={"messages": [said], "count": 7}),
        "among others": Command(update={"messages": [said, AIMessage("by the way")], "count": 7}),
        "list": [Command(update={"count": 7}), said],
    }


@pytest.mark.parametrize("form", ["command", "among others", "list"])
@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("id", [CLEAN, BAD])
def test_a_command_is_looked_into_and_keeps_all_else_that_it_updates(id, later, form):
    @tool("get_order")
    def commanding(id: str, tool_call_id: Annotated[str, InjectedToolCallId]):
        """Get an order."""
        return answers(id, tool_call_id)[form]

    watch, kept = watching()
    graph = StateGraph(Counting)
    model = script(id)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([commanding], **watched(watch)))
    graph.add_edge(START, "model")
    graph.add_edge("model", "tools")
    compiled = graph.compile()
    state = asyncio.run(compiled.ainvoke(ASK)) if later else compiled.invoke(ASK)
    [message] = told(state)
    assert state["count"] == 7
    assert len(state["messages"]) == 3 + (form == "among others")
    if id == BAD:
        said = json.loads(message.content)
        assert said["tool_result"] == WRONG
        assert is_receipt(said["outcome_contract"])
    else:
        assert json.loads(message.content) == order(1)
    assert kept.outcomes == ["flagged" if id == BAD else "clean"]


def test_an_agent_whose_tool_commands():
    """The same through the middleware of an agent, which other middlewares stand around."""

    @tool("get_order")
    def commanding(id: str, tool_call_id: Annotated[str, InjectedToolCallId]):
        """Get an order."""
        return answers(id, tool_call_id)["command"]

    class Others(AgentMiddleware):
        state_schema = Counting

        def wrap_tool_call(self, request, handler):
            return handler(request)

    watch, kept = watching()
    agent = create_agent(script(CLEAN, BAD), [commanding], middleware=[Others(), OutcomeMiddleware(watch)])
    state = agent.invoke(ASK)
    check(told(state))
    assert state["count"] == 7
    assert kept.outcomes == ["clean", "flagged"]
