"""Anthropic's tool runner: loops against a scripted API, and the log of what went to it and came back."""

import json
import sys
from typing import Any

import anthropic
from anthropic import beta_tool

from outcome_monitors.adapters.anthropic import watched
from tests.adapters.loops import functions, in_text

# The package that its client speaks HTTP by has changed its name.
httpx: Any = sys.modules.get("httpx2") or sys.modules["httpx"]


class Api:
    """Asks for one call after the other, and keeps what is said."""

    def __init__(self, calls):
        self._calls, self.log = calls, []

    def __call__(self, request):
        number = len(self.log)
        answer = self._answer(number)
        self.log.append(
            {
                "request": json.loads(request.content),
                "response": answer,
                "session_id": self._calls[0].session,
            }
        )
        return httpx.Response(200, json=answer)

    def _answer(self, number):
        content: dict[str, Any] = {"type": "text", "text": "done"}
        if number < len(self._calls):
            call = self._calls[number]
            content = {
                "type": "tool_use",
                "id": f"{call.session}-{number}",
                "name": call.tool,
                "input": dict(call.arguments),
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


def converse(calls, **how):
    api = Api(calls)
    client = anthropic.Anthropic(
        api_key="none", http_client=anthropic.DefaultHttpxClient(transport=httpx.MockTransport(api))
    )
    tools = watched([beta_tool(in_text(function)) for function in functions(calls)], **how)
    client.beta.messages.tool_runner(
        tools=tools, max_tokens=100, model="m", messages=[{"role": "user", "content": "Go on."}]
    ).until_done()
    return api.log
