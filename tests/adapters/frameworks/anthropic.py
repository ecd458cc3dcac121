"""Anthropic's tool runner: loops against a scripted API, and the log of what went to it and came back."""

import asyncio
import json
import sys
from typing import Any

import anthropic
from anthropic import beta_async_tool, beta_tool

from outcome_monitors.adapters.anthropic import watched
from tests.adapters.frameworks import Talk, in_text

# The package that its client speaks HTTP by has changed its name.
httpx: Any = sys.modules.get("httpx2") or sys.modules["httpx"]
ASK = {"max_tokens": 100, "model": "m", "messages": [{"role": "user", "content": "Go on."}]}


class Api:
    """Asks for one call after the other, and keeps what is said."""

    def __init__(self, asks, session):
        self._asks, self._session, self.log = list(asks), session, []

    def __call__(self, request):
        answer = self._answer(len(self.log))
        said = json.loads(request.content)
        self.log.append({"request": said, "response": answer, "session_id": self._session})
        return httpx.Response(200, json=answer)

    @property
    def read(self):
        # A runner may send all that was said, or only what is new.
        messages = [message for entry in self.log for message in entry["request"]["messages"]]
        blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
        found = {
            block["tool_use_id"]: block["content"] for block in blocks if block.get("type") == "tool_result"
        }
        return list(found.values())

    def _answer(self, number):
        content: dict[str, Any] = {"type": "text", "text": "done"}
        if number < len(self._asks):
            name, arguments = self._asks[number]
            content = {
                "type": "tool_use",
                "id": f"{self._session}-{number}",
                "name": name,
                "input": arguments,
            }
        return {
            "id": f"m{number}",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [content],
            "stop_reason": "tool_use" if content["type"] == "tool_use" else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }


def talk(functions, asks, session="s", *, blocks=False, **how):
    api = Api(asks, session)
    client = anthropic.Anthropic(
        api_key="none", http_client=anthropic.DefaultHttpxClient(transport=httpx.MockTransport(api))
    )
    tools = [beta_tool(function if blocks else in_text(function)) for function in functions]
    client.beta.messages.tool_runner(tools=watched(tools, **how) if how else tools, **ASK).until_done()
    return Talk(api.read, api.log)


def talk_later(functions, asks, **how):
    """Have the same conversation with functions that are awaited."""
    api = Api(asks, "s")

    async def run():
        client = anthropic.AsyncAnthropic(
            api_key="none", http_client=anthropic.DefaultAsyncHttpxClient(transport=httpx.MockTransport(api))
        )
        tools = watched([*map(beta_async_tool, functions)], **how)
        await client.beta.messages.tool_runner(tools=tools, **ASK).until_done()

    asyncio.run(run())
    return Talk(api.read)
