"""A Pydantic AI agent with its own MCP toolset, and a scripted model."""

import asyncio

from _visits import main
from fastmcp.client import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel


async def visit(tool, arguments, command=None, env=None, url=None, **_era):
    steps = iter([ToolCallPart(tool, arguments)])
    model = FunctionModel(lambda _messages, _info: ModelResponse([next(steps, TextPart("done"))]))
    server = (
        StreamableHttpTransport(url)
        if url
        else StdioTransport(command[0], command[1:], env=env, keep_alive=False)
    )
    client = Client(server)
    agent = Agent(model, toolsets=[MCPToolset(client)])
    async with agent:
        result = await agent.run("Go on")
        spoken = client.protocol_version
    parts = [part for message in result.all_messages() for part in message.parts]
    [told] = [part for part in parts if isinstance(part, ToolReturnPart)]
    return told.model_response_str(), spoken


asyncio.run(main(visit))
