"""LlamaIndex: whole runs of a function agent with a scripted model."""

import asyncio
import json

import pytest

pytest.importorskip("llama_index.core", reason="needs llama-index-core: make compat")

from llama_index.core.agent.workflow import FunctionAgent, ToolCallResult
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, MessageRole
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import FunctionTool

from outcome_monitors.adapters.llama_index import watched
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, found, is_receipt, receipt_in, watching
from tests.events.shop import order


class Scripted(FunctionCallingLLM):
    ids: list[str] = []
    heard: list[ChatMessage] = []

    @property
    def metadata(self):
        return LLMMetadata(is_function_calling_model=True)

    def _prepare_chat_with_tools(self, *args, **kwargs):
        return {"messages": []}

    async def achat_with_tools(self, *args, chat_history=(), **kwargs):
        self.heard = list(chat_history)
        calls = [{"id": self.ids.pop(0)}] if self.ids else []
        message = ChatMessage(role=MessageRole.ASSISTANT, content="done", additional_kwargs={"calls": calls})
        return ChatResponse(message=message)

    async def astream_chat_with_tools(self, *args, **kwargs):
        async def stream():
            yield await self.achat_with_tools(*args, **kwargs)

        return stream()

    def get_tool_calls_from_response(self, response, **kwargs):
        calls = response.message.additional_kwargs["calls"]
        return [ToolSelection(tool_id=call["id"], tool_name="get_order", tool_kwargs=call) for call in calls]

    def chat(self, *args, **kwargs):
        raise NotImplementedError

    complete = stream_chat = stream_complete = chat

    async def achat(self, *args, **kwargs):
        raise NotImplementedError

    acomplete = astream_chat = astream_complete = achat


def get_order(id: str) -> dict:
    """Get an order."""
    return found(id)


def test_a_dict_stays_as_python_prints_it():
    watch, kept = watching()

    async def talk():
        agent = FunctionAgent(tools=watched([get_order], watch), llm=Scripted(ids=[CLEAN, BAD, RAISES]))
        handler = agent.run(user_msg="Where is my order?")
        outputs = [
            event.tool_output async for event in handler.stream_events() if isinstance(event, ToolCallResult)
        ]
        await handler
        return outputs

    clean, wrong, failed = asyncio.run(talk())
    assert clean.content == str(order(1))
    assert wrong.content.startswith(str(WRONG))
    assert is_receipt(receipt_in(wrong.blocks[-1].text))
    assert wrong.raw_output == WRONG
    assert failed.is_error
    assert kept.outcomes == ["clean", "flagged", "not_checked"]
    assert len({event.session for event in kept.events}) == 1


def test_a_tool_that_is_called_directly():
    watch, kept = watching()
    [tool] = watched([FunctionTool.from_defaults(get_order)], watch)
    assert tool.call(id=CLEAN).raw_output == order(1)
    assert is_receipt(receipt_in(tool(id=BAD).blocks[-1].text))
    assert kept.outcomes == ["clean", "flagged"]


def test_what_the_model_reads_of_a_flagged_result_is_written_as_it_is_without_us():
    def read(tools):
        llm = Scripted(ids=[BAD])

        async def talk():
            await FunctionAgent(tools=tools, llm=llm).run(user_msg="Where is my order?")

        asyncio.run(talk())
        [message] = [message for message in llm.heard if message.role == MessageRole.TOOL]
        return message.content

    raw, told = read([get_order]), read(watched([get_order], watching()[0]))
    assert raw == str(WRONG)
    assert told.startswith(raw)
    assert is_receipt(json.loads(told.removeprefix(raw))["outcome_contract"])
