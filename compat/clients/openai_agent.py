"""An agent of the OpenAI Agents SDK with its own MCP server class, and its own scripted model."""

import asyncio
import json

from _visits import main
from agents import Agent, Runner, set_tracing_disabled
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.testing import ScriptedModel, assistant_message, function_call

set_tracing_disabled(True)


async def visit(tool, arguments, command=None, env=None, url=None, **_era):
    server = (
        MCPServerStreamableHttp({"url": url}, client_session_timeout_seconds=60)
        if url
        else MCPServerStdio(
            {"command": command[0], "args": command[1:], "env": env}, client_session_timeout_seconds=60
        )
    )
    async with server:
        steps = [[function_call(tool, arguments, call_id="c0")], [assistant_message("done")]]
        agent = Agent("visitor", model=ScriptedModel(steps), mcp_servers=[server])
        result = await Runner.run(agent, "Go on")
        spoken = server.session.protocol_version
    items = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
    return json.dumps(items[0]["output"]), spoken


asyncio.run(main(visit))
