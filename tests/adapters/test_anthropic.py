"""Anthropic's tool runner: whole loops against a scripted API."""

import asyncio
import json
import sys
from typing import Any

import pytest

pytest.importorskip("anthropic.lib.tools", reason="needs anthropic: make compat")

import anthropic
from anthropic import beta_async_tool, beta_tool

from outcome_monitors.adapters.anthropic import watched
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, found, is_receipt, receipt_in, watching
from tests.events.shop import order

# The package that its client speaks HTTP by has changed its name.
httpx: Any = sys.modules.get("httpx2") or sys.modules["httpx"]

IDS = (CLEAN, BAD, RAISES)


class Api:
    """Asks for one order after the other, and keeps what it is sent."""

    def __init__(self):
        self.requests = []

    def __call__(self, request):
        self.requests.append(json.loads(request.content))
        number = len(self.requests) - 1
        if number < len(IDS):
            use = {"type": "tool_use", "id": f"c{number}", "name": "get_order", "input": {"id": IDS[number]}}
            content, reason = [use], "tool_use"
        else:
            content, reason = [{"type": "text", "text": "done"}], "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        body = {"id": f"m{number}", "type": "message", "role": "assistant", "model": "m", "content": content}
        return httpx.Response(
            200, json={**body, "stop_reason": reason, "stop_sequence": None, "usage": usage}
        )

    @property
    def told(self):
        # A runner may send all that was said, or only what is new.
        messages = [message for request in self.requests for message in request["messages"]]
        blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
        found = {block["tool_use_id"]: block for block in blocks if block.get("type") == "tool_result"}
        return list(found.values())


ASK = {"max_tokens": 100, "model": "m", "messages": [{"role": "user", "content": "Where is my order?"}]}


def in_turn(tool):
    api = Api()
    client = anthropic.Anthropic(
        api_key="none", http_client=anthropic.DefaultHttpxClient(transport=httpx.MockTransport(api))
    )
    client.beta.messages.tool_runner(tools=tool, **ASK).until_done()
    return api.told


def later(tools):
    api = Api()

    async def run():
        transport = httpx.MockTransport(api)
        client = anthropic.AsyncAnthropic(
            api_key="none", http_client=anthropic.DefaultAsyncHttpxClient(transport=transport)
        )
        await client.beta.messages.tool_runner(tools=tools, **ASK).until_done()

    asyncio.run(run())
    return api.told


def as_text(id: str) -> str:
    """Get an order."""
    return json.dumps(found(id))


def as_blocks(id: str):
    """Get an order."""
    return [{"type": "text", "text": json.dumps(found(id))}]


async def as_text_later(id: str) -> str:
    """Get an order."""
    return json.dumps(found(id))


def check(told, kept):
    clean, wrong, failed = told
    assert json.loads(clean["content"]) == order(1)
    said = json.loads(wrong["content"])
    assert said["tool_result"] == WRONG
    assert is_receipt(said["outcome_contract"])
    assert failed["is_error"]
    assert "the shop is closed" in str(failed["content"])
    assert kept.outcomes == ["clean", "flagged", "not_checked"]
    assert len({event.session for event in kept.events}) == 1


def test_text():
    watch, kept = watching()
    check(in_turn(watched([beta_tool(as_text, name="get_order")], watch)), kept)


def test_text_later():
    watch, kept = watching()
    check(later(watched([beta_async_tool(as_text_later, name="get_order")], watch)), kept)


def test_blocks_get_a_block():
    watch, _ = watching()
    _, wrong, _ = in_turn(watched([beta_tool(as_blocks, name="get_order")], watch))
    raw, told = wrong["content"]
    assert json.loads(raw["text"]) == WRONG
    assert is_receipt(receipt_in(told["text"]))


@pytest.mark.parametrize("make", [as_text, as_blocks])
def test_what_the_model_reads_of_a_flagged_result_is_written_as_it_is_without_us(make):
    tool = beta_tool(make, name="get_order")
    raw, told = (read[1]["content"] for read in (in_turn([tool]), in_turn(watched([tool], watching()[0]))))
    assert raw in told if isinstance(raw, str) else told[: len(raw)] == raw
    assert raw != told
