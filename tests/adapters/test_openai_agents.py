"""OpenAI Agents SDK: texts, blocks, failures that the SDK puts into words, and runs without a group."""

import json

import pytest

from outcome_monitors.events import Watch
from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, get_order, is_receipt, watching
from tests.events.shop import Kept, order, remembering

sdk = framework("openai_agents")
from agents import ToolOutputText, function_tool


@function_tool(name_override="get_order")
def get_block(id: str) -> ToolOutputText:
    """Get an order as a block."""
    return ToolOutputText(text=json.dumps(get_order(id)))


@function_tool(name_override="get_order", failure_error_function=lambda _context, error: f"sorry: {error}")
async def get_politely(id: str) -> dict:
    """Get an order, or an excuse."""
    return get_order(id)


def asks(*ids):
    return [("get_order", {"id": id}) for id in ids]


def test_blocks_get_a_block():
    watch, kept = watching()
    clean, wrong = sdk.talk([get_block], asks(CLEAN, BAD), watch=watch).read
    assert [json.loads(block["text"]) for block in clean] == [order(1)]
    raw, told = (json.loads(block["text"]) for block in wrong)
    assert raw == WRONG
    assert is_receipt(told["outcome_contract"])
    assert kept.outcomes == ["clean", "flagged"]


@pytest.mark.parametrize("id", [BAD, RAISES])
def test_what_the_sdk_makes_of_an_exception_is_no_result(id):
    watch, kept = watching()
    [raw] = sdk.talk([get_politely], asks(id)).read
    [read] = sdk.talk([get_politely], asks(id), watch=watch).read
    assert read == raw if id == RAISES else read.startswith(f"{raw}\n\n")
    assert kept.outcomes == ["not_checked" if id == RAISES else "flagged"]


def test_runs_of_one_group_share_a_memory_and_others_do_not():
    watch = Watch(remembering(), kept := Kept())
    statuses = iter(["paid", "sent", "paid", "sent"])

    @function_tool(name_override="get_order")
    def changing(id: str) -> dict:
        """Get an order."""
        return {"order_id": id, "status": next(statuses)}

    for group in ("a", "a", None, None):
        sdk.talk([changing], asks("W1"), group, watch=watch)
    assert kept.outcomes == ["clean", "flagged", "clean", "clean"]
