"""An agent of the OpenAI Agents SDK with its own MCP server class, and its own scripted model."""

import asyncio
import json

from _visits import tell, visits
from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio
from agents.testing import ScriptedModel, assistant_message, function_call

set_tracing_disabled(True)


async def visit(command, env, tool, arguments):
    server = MCPServerStdio(
        {"command": command[0], "args": command[1:], "env": env}, client_session_timeout_seconds=60
    )
    async with server:
        steps = [[function_call(tool, arguments, call_id="c0")], [assistant_message("done")]]
        agent = Agent("visitor", model=ScriptedModel(steps), mcp_servers=[server])
        result = await Runner.run(agent, "Go on")
    items = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
    return json.dumps(items[0]["output"])


async def main():
    tell([await visit(**one) for one in visits()])


asyncio.run(main())
