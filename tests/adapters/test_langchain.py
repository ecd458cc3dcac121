"""LangChain and LangGraph: messages, commands, and the structured content of MCP tools."""

import json
from typing import Annotated

import pytest

from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, CLEAN, WRONG, get_order, is_receipt, watching
from tests.events.shop import order

chain, graph = framework("langchain"), framework("langgraph")
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.graph import MessagesState
from langgraph.types import Command

LATER = pytest.mark.parametrize("later", [False, True])


class Counting(MessagesState):
    count: int


def asks(*ids, name="get_order"):
    return [(name, {"id": id} if id else {}) for id in ids]


def messages(state):
    return [message for message in state["messages"] if isinstance(message, ToolMessage)]


def check(found):
    clean, wrong = found
    assert json.loads(clean.content) == order(1)
    raw, told = (json.loads(block["text"]) for block in wrong.content)
    assert raw == WRONG
    assert is_receipt(told["outcome_contract"])
    assert wrong.tool_call_id == "c1"


def test_structured_content_of_mcp_tools_is_what_is_checked():
    watch, _ = watching()
    watch.monitor.contracts.by_tool["get_blocks"] = watch.monitor.contracts.by_tool["get_order"]

    @tool(response_format="content_and_artifact")
    def get_blocks(id: str):
        """Get an order, as an MCP tool gives it."""
        return [{"type": "text", "text": "an order"}], {"structured_content": get_order(id)}

    [message] = messages(chain.state_of([get_blocks], asks(BAD, name="get_blocks"), watch=watch))
    first, last = message.content
    assert first == {"type": "text", "text": "an order"}
    assert is_receipt(json.loads(last["text"])["outcome_contract"])
    assert message.artifact == {"structured_content": WRONG}


def commanding(form):
    """Return a tool that answers by a command, one among others, or a list of both."""

    @tool("get_order")
    def command(id: str, tool_call_id: Annotated[str, InjectedToolCallId]):
        """Get an order."""
        said = ToolMessage(json.dumps(get_order(id)), tool_call_id=tool_call_id, name="get_order")
        return {
            "command": Command(update={"messages": [said], "count": 7}),
            "among others": Command(update={"messages": [said, AIMessage("by the way")], "count": 7}),
            "list": [Command(update={"count": 7}), said],
        }[form]

    return command


@pytest.mark.parametrize("form", ["command", "among others", "list"])
@LATER
def test_a_command_is_looked_into_and_keeps_all_else_that_it_updates(later, form):
    watch, kept = watching()
    state = graph.state_of([commanding(form)], asks(CLEAN, BAD), later=later, state=Counting, watch=watch)
    check(messages(state))
    assert state["count"] == 7
    assert len(state["messages"]) == 6 + 2 * (form == "among others")
    assert kept.outcomes == ["clean", "flagged"]


@LATER
def test_text_gets_a_block(later):
    watch, kept = watching()
    check(messages(chain.state_of([get_order], asks(CLEAN, BAD), later=later, watch=watch)))
    assert kept.outcomes == ["clean", "flagged"]
