"""A LangChain agent with the tools of LangChain's MCP adapters, and a scripted model."""

import asyncio
import json

from _visits import tell, visits
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_mcp_adapters.client import MultiServerMCPClient


class Scripted(GenericFakeChatModel):
    def bind_tools(self, tools, **kwargs):
        return self


async def visit(command, env, tool, arguments):
    server = {"transport": "stdio", "command": command[0], "args": command[1:], "env": env}
    tools = await MultiServerMCPClient({"server": server}).get_tools()
    call = AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": "c0"}])
    agent = create_agent(Scripted(messages=iter([call, AIMessage("done")])), tools)
    state = await agent.ainvoke({"messages": [HumanMessage("Go on")]})
    [message] = [message for message in state["messages"] if isinstance(message, ToolMessage)]
    content = message.content
    if isinstance(content, list):
        content = [{key: value for key, value in block.items() if key != "id"} for block in content]
    return json.dumps(content)


async def main():
    tell([await visit(**one) for one in visits()])


asyncio.run(main())
