"""FastMCP: a receipt in the text and in the structured content. The client checks output schemas."""

import json

import pytest

from outcome_monitors import Watch
from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, CLEAN, WRONG, get_order as found, is_receipt, watching
from tests.events.shop import order

server = framework("fastmcp")
from pydantic import BaseModel, ConfigDict


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")
    id: str
    total: float
    status: str


def get_order(id: str) -> Order:
    return Order(**found(id))


def two_texts():
    return ["one", "two"]


@pytest.mark.parametrize("lists", [True, False])
def test_a_receipt_goes_as_text_and_where_it_was_declared_in_the_structured_content(lists):
    watch, kept = watching()
    asks = [("get_order", {"id": CLEAN}), ("get_order", {"id": BAD}), ("two_texts", {})]
    _, (clean, wrong, texts), tools = server.calls([get_order, two_texts], asks, lists=lists, watch=watch)
    assert clean.structured_content == order(1)
    assert len(clean.content) == 1
    raw, told = wrong.content
    assert json.loads(raw.text) == WRONG
    receipt = json.loads(told.text)["outcome_contract"]
    assert is_receipt(receipt)
    structured = dict(wrong.structured_content)
    declared = structured.pop("outcome_contract", None)
    assert structured == WRONG
    assert "one" in texts.content[0].text
    assert "inconsistent" not in texts.content[0].text
    assert kept.outcomes[:2] == ["clean", "flagged"]
    assert kept.outcomes[2] in ("not_covered", "not_checked")
    if lists:
        assert declared == receipt
        schema = next(tool.output_schema for tool in tools if tool.name == "get_order")
        assert "outcome_contract" in schema["properties"]
        assert "outcome_contract" not in schema["required"]


def get_any(id: str) -> dict:
    return found(id)


def test_what_need_not_be_declared_changes_no_type():
    asks = [("get_any", {"id": CLEAN})]
    direct, proxied = (server.calls([get_any], asks, **how)[2] for how in ({}, {"watch": Watch.open()}))
    assert [tool.output_schema for tool in proxied] == [tool.output_schema for tool in direct]


class Stock(BaseModel):
    model_config = ConfigDict(extra="forbid")
    item: str
    quantity: float


def get_stock(item: str, quantity: float = 3) -> Stock:
    return Stock(item=item, quantity=quantity)


def test_without_contracts_every_tool_may_carry_a_receipt():
    asks = [("get_stock", {"item": "lamp"}), ("get_stock", {"item": "lamp", "quantity": -2})]
    _, (clean, wrong), [tool] = server.calls([get_stock], asks, watch=Watch.open())
    assert "outcome_contract" in tool.output_schema["properties"]
    assert clean.structured_content == {"item": "lamp", "quantity": 3.0}
    structured = dict(wrong.structured_content)
    assert structured.pop("outcome_contract")["violation"]["path"] == "quantity"
    assert structured == {"item": "lamp", "quantity": -2.0}
    assert len(wrong.content) == 2
