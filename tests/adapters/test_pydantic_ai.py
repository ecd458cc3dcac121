"""Pydantic AI: models, tool returns with more than a value, and retries."""

import json

from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, CLEAN, WRONG, get_order as found, is_receipt, watching
from tests.events.shop import order

agent = framework("pydantic_ai")
from pydantic import BaseModel
from pydantic_ai import ModelRetry
from pydantic_ai.messages import ToolReturn


class Order(BaseModel):
    id: str
    total: float
    status: str


def asks(*ids):
    return [("get_order", {"id": id}) for id in ids]


def test_a_tool_return_keeps_the_rest():
    watch, kept = watching()

    def get_order(id: str) -> ToolReturn:
        return ToolReturn(found(id), metadata={"a": 1})

    [clean, wrong], _ = agent.parts_of([get_order], asks(CLEAN, BAD), watch=watch)
    assert clean.content == order(1)
    assert wrong.content["tool_result"] == WRONG
    assert wrong.metadata == {"a": 1}
    assert kept.outcomes == ["clean", "flagged"]


def test_a_retry_that_a_tool_asks_for_passes_and_is_not_checked():
    watch, kept = watching()

    def get_order(id: str) -> dict:
        if id == "W0":
            raise ModelRetry("which one?")
        return found(id)

    [retry, clean], _ = agent.parts_of([get_order], asks("W0", CLEAN), watch=watch)
    assert retry.content == "which one?"
    assert clean.content == order(1)
    assert kept.outcomes == ["not_checked", "clean"]


def test_a_model_is_read_as_what_it_says():
    def get_order(id: str) -> Order:
        return Order(**found(id))

    [raw] = agent.talk([get_order], asks(BAD)).read
    [wrong] = agent.talk([get_order], asks(BAD), watch=watching()[0]).read
    assert raw in wrong
    said = json.loads(wrong)
    assert said["tool_result"] == WRONG
    assert is_receipt(said["outcome_contract"])
