"""Pydantic AI: models, tool returns with more than a value, and retries."""

from tests.adapters.frameworks import framework
from tests.adapters.shop import BAD, CLEAN, WRONG, get_order as found, is_receipt, receipt_in, watching
from tests.events.shop import order

agent = framework("pydantic_ai")
from pydantic import BaseModel
from pydantic_ai import BinaryContent, ModelRetry
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
        return ToolReturn(found(id), content="by the way" if id == BAD else None, metadata={"a": 1})

    [clean, wrong, told], _ = agent.parts_of([get_order], asks(CLEAN, BAD), watch=watch)
    assert clean.content == order(1)
    assert wrong.content == WRONG
    assert wrong.metadata == {"a": 1}
    assert told.content[0] == "by the way"
    assert is_receipt(receipt_in(told.content[1]))
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


def test_a_model_stays_one():
    def get_order(id: str) -> Order:
        return Order(**found(id))

    [wrong, told], _ = agent.parts_of([get_order], asks(BAD), watch=watching()[0])
    assert wrong.content == Order(**WRONG)
    assert is_receipt(receipt_in(told.content))


def test_a_picture_beside_a_wrong_result_stays_one():
    picture = BinaryContent(b"a lamp", media_type="image/png")

    def get_order(id: str) -> list:
        return [found(id), picture]

    watch, kept = watching()
    [wrong, told], _ = agent.parts_of([get_order], asks(BAD), watch=watch)
    assert wrong.content == [WRONG, picture]
    assert told.content.startswith("On the result of get_order: ")
    assert kept.outcomes == ["flagged"]
