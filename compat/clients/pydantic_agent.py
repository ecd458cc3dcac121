"""A Pydantic AI agent with its own MCP toolset, and a scripted model."""

import asyncio

from _visits import tell, visits
from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel


async def visit(command, env, tool, arguments):
    steps = iter([ToolCallPart(tool, arguments)])
    model = FunctionModel(lambda _messages, _info: ModelResponse([next(steps, TextPart("done"))]))
    server = StdioTransport(command[0], command[1:], env=env, keep_alive=False)
    result = await Agent(model, toolsets=[MCPToolset(server)]).run("Go on")
    parts = [part for message in result.all_messages() for part in message.parts]
    [told] = [part for part in parts if isinstance(part, ToolReturnPart)]
    return told.model_response_str()


async def main():
    tell([await visit(**one) for one in visits()])


asyncio.run(main())
