"""The first two hundred right results of a server of the official SDK: none has a receipt, and the client gets the same types as without the proxy."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp_types", reason="needs the official SDK, of major version 2")

from mcp import Client
from mcp.client.stdio import StdioServerParameters

SERVER = [sys.executable, str(Path(__file__).with_name("return_types_server.py"))]
ROUNDS = 23


async def visited(command: list[str]) -> tuple[list[str], list[str]]:
    """Return the tools as they are listed, and what was got of each call."""
    async with Client(StdioServerParameters(command=command[0], args=command[1:])) as client:
        tools = (await client.list_tools()).tools
        answers = [await client.call_tool(tool.name, {"n": n}) for n in range(ROUNDS) for tool in tools]
    return [tool.model_dump_json() for tool in tools], [
        answer.model_dump_json(exclude={"meta"}) for answer in answers
    ]


def test_right_results_of_nine_types_are_the_same_through_the_proxy(tmp_path: Path) -> None:
    proxy = [sys.executable, "-m", "outcome_monitors", "proxy", "--learn", str(tmp_path), "--", *SERVER]
    tools, answers = asyncio.run(visited(SERVER))
    assert len(tools) == 9
    assert len(answers) > 200
    assert asyncio.run(visited(proxy)) == (tools, answers)
    assert not any(json.loads(answer)["is_error"] for answer in answers)
