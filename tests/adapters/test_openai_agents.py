"""OpenAI Agents SDK: blocks, and runs without a group."""

import json

from outcome_monitors.events import Watch
from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, CLEAN, WRONG, get_order, is_receipt, watching
from tests.events.shop import Kept, order, remembering

sdk = framework("openai_agents")
from agents import ToolOutputText, function_tool


@function_tool(name_override="get_order")
def get_block(id: str) -> ToolOutputText:
    """Get an order as a block."""
    return ToolOutputText(text=json.dumps(get_order(id)))


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
