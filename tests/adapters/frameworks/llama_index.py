"""LlamaIndex: runs of a function agent."""

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, LLMMetadata, MessageRole
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection

from outcome_monitors.adapters.llama_index import watched
from tests.adapters.frameworks import Talk


class Scripted(FunctionCallingLLM):
    asks: list[ToolSelection] = []
    heard: list[ChatMessage] = []

    @property
    def metadata(self):
        return LLMMetadata(is_function_calling_model=True)

    def _prepare_chat_with_tools(self, *args, **kwargs):
        return {"messages": []}

    async def achat_with_tools(self, *args, chat_history=(), **kwargs):
        self.heard = list(chat_history)
        asks = [self.asks.pop(0)] if self.asks else []
        message = ChatMessage(role=MessageRole.ASSISTANT, content="done", additional_kwargs={"asks": asks})
        return ChatResponse(message=message)

    async def astream_chat_with_tools(self, *args, **kwargs):
        async def stream():
            yield await self.achat_with_tools(*args, **kwargs)

        return stream()

    def get_tool_calls_from_response(self, response, **kwargs):
        return response.message.additional_kwargs["asks"]

    def chat(self, *args, **kwargs):
        raise NotImplementedError

    complete = stream_chat = stream_complete = chat

    async def achat(self, *args, **kwargs):
        raise NotImplementedError

    acomplete = astream_chat = astream_complete = achat


def talk(functions, asks, session="s", **how):
    calls = [
        ToolSelection(tool_id=f"c{number}", tool_name=name, tool_kwargs=dict(arguments))
        for number, (name, arguments) in enumerate(asks)
    ]
    model = Scripted(asks=calls)

    async def run():
        tools = watched(functions, **how) if how else functions
        await FunctionAgent(tools=tools, llm=model).run(user_msg="Go on.", max_iterations=len(calls) + 2)

    asyncio.run(run())
    return Talk([message.content for message in model.heard if message.role == MessageRole.TOOL])
