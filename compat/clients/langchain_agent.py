"""A LangChain agent with the tools of LangChain's MCP adapters, and a scripted model."""

import asyncio
import json

from _visits import main
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_mcp_adapters.client import MultiServerMCPClient


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


async def visit(tool, arguments, command=None, env=None, url=None, **_era):
    server = (
        {"transport": "streamable_http", "url": url}
        if url
        else {"transport": "stdio", "command": command[0], "args": command[1:], "env": env}
    )
    tools = await MultiServerMCPClient({"server": server}).get_tools()
    call = AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": "c0"}])
    agent = create_agent(Scripted(messages=iter([call, AIMessage("done")])), tools)
    state = await agent.ainvoke({"messages": [HumanMessage("Go on")]})
    [message] = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    content = message.content
    if isinstance(content, list):
        content = [{key: value for key, value in block.items() if key != "id"} for block in content]
    return json.dumps(content), None


asyncio.run(main(visit))
