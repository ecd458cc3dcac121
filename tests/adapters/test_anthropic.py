"""Anthropic's tool runner: functions that are awaited, and results of blocks."""

import json

from tests.adapters.frameworks import framework
from tests.adapters.shop import (
    BAD,
    CLEAN,
    RAISES,
    WRONG,
    get_order as found,
    is_receipt,
    watching,
)
from tests.events.shop import order

runner = framework("anthropic")
ASKS = [("get_order", {"id": id}) for id in (CLEAN, BAD, RAISES)]


def test_functions_that_are_awaited_are_observed():
    watch, kept = watching()

    async def get_order(id: str) -> str:
        """Get an order."""
        return json.dumps(found(id))

    clean, wrong, failed = runner.talk_later([get_order], ASKS, watch=watch).read
    assert json.loads(clean) == order(1)
    raw, told = (json.loads(block["text"]) for block in wrong)
    assert raw == WRONG
    assert is_receipt(told["outcome_contract"])
    assert "the shop is closed" in str(failed)
    assert kept.outcomes == ["clean", "flagged", "not_checked"]


def test_blocks_get_a_block():
    watch, _ = watching()

    def get_order(id: str):
        """Get an order."""
        return [{"type": "text", "text": json.dumps(found(id))}]

    [[raw, told]] = runner.talk([get_order], ASKS[1:2], blocks=True, watch=watch).read
    assert json.loads(raw["text"]) == WRONG
    assert is_receipt(json.loads(told["text"])["outcome_contract"])
