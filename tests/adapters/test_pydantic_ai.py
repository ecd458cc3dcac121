"""Pydantic AI: whole agent loops with its own function model."""

import json

import pytest

pytest.importorskip("pydantic_ai.capabilities", reason="needs pydantic-ai 2.x: make compat")

from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import (
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturn,
    ToolReturnPart,
)
from pydantic_ai.models.function import FunctionModel

from outcome_monitors.adapters.pydantic_ai import OutcomeContracts
from outcome_monitors.events import Watch
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, Broken, found, is_receipt, watching
from tests.events.shop import Kept, order, remembering


def script(*ids):
    steps = iter([ToolCallPart("get_order", {"id": id}) for id in ids])

    def respond(_messages, _info):
        return ModelResponse([next(steps, TextPart("done"))])

    return FunctionModel(respond)


def run(tool, watch, *ids, **options):
    agent = Agent(script(*ids), capabilities=[OutcomeContracts(watch)] if watch else [])
    agent.tool_plain(name="get_order")(tool)
    result = agent.run_sync("Where is my order?", **options)
    parts = [part for message in result.all_messages() for part in message.parts]
    return [part for part in parts if isinstance(part, (ToolReturnPart, RetryPromptPart))]


def get_order(id: str) -> dict:
    return found(id)


def test_a_dict_gets_an_envelope():
    watch, kept = watching()
    clean, wrong = run(get_order, watch, CLEAN, BAD)
    assert clean.content == order(1)
    said = json.loads(wrong.model_response_str())
    assert said["tool_result"] == WRONG
    assert is_receipt(said["outcome_contract"])
    assert kept.outcomes == ["clean", "flagged"]
    assert len({event.session for event in kept.events}) == 1


class Order(BaseModel):
    id: str
    total: float
    status: str


def test_a_model_is_read_as_what_it_says():
    watch, _ = watching()
    [wrong] = run(lambda id: Order(**found(id)), watch, BAD)
    said = json.loads(wrong.model_response_str())
    assert said["tool_result"] == WRONG
    assert is_receipt(said["outcome_contract"])


def test_a_tool_return_keeps_the_rest():
    watch, kept = watching()
    clean, wrong = run(lambda id: ToolReturn(found(id), metadata={"a": 1}), watch, CLEAN, BAD)
    assert clean.content == order(1)
    assert wrong.content["tool_result"] == WRONG
    assert wrong.metadata == {"a": 1}
    assert kept.outcomes == ["clean", "flagged"]


def test_exceptions_and_retries_pass():
    watch, kept = watching()
    with pytest.raises(Broken):
        run(get_order, watch, RAISES)

    def asks(id: str) -> dict:
        if id == "W0":
            raise ModelRetry("which one?")
        return found(id)

    retry, clean = run(asks, watch, "W0", CLEAN)
    assert retry.content == "which one?"
    assert clean.content == order(1)
    assert kept.outcomes == ["not_checked", "not_checked", "clean"]


def test_each_conversation_has_a_memory_of_its_own():
    kept = Kept()
    statuses = iter(["paid", "sent", "sent"])
    watch = Watch(remembering(), kept)
    for conversation in ("a", "a", "b"):
        run(
            lambda id: {"order_id": id, "status": next(statuses)},
            watch,
            "W1",
            conversation_id=conversation,
        )
    assert [(event.session, event.outcome) for event in kept.events] == [
        ("a", "clean"),
        ("a", "flagged"),
        ("b", "clean"),
    ]


@pytest.mark.parametrize("tool", [get_order, lambda id: Order(**found(id)), lambda id: json.dumps(found(id))])
def test_what_the_model_reads_of_a_flagged_result_is_written_as_it_is_without_us(tool):
    [raw] = run(tool, None, BAD)
    [told] = run(tool, watching()[0], BAD)
    assert raw.model_response_str() in told.model_response_str()
    assert raw.content != told.content
