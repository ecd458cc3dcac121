"""Microsoft Agent Framework: whole runs with a scripted client."""

import asyncio
import json

import pytest

pytest.importorskip("agent_framework", reason="needs agent-framework-core: make compat")

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)

from outcome_monitors.adapters.agent_framework import OutcomeMiddleware
from outcome_monitors.events import Watch
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, found, is_receipt, watching
from tests.events.shop import Kept, order, remembering


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    def __init__(self, *ids):
        super().__init__()
        self.ids = list(ids)
        self.heard = []

    def _inner_get_response(self, *, messages, stream, options, **kwargs):
        async def respond():
            self.heard = list(messages)
            if self.ids:
                number = len(self.ids)
                call = Content.from_function_call(
                    f"c{number}", "get_order", arguments={"id": self.ids.pop(0)}
                )
                return ChatResponse(messages=[Message("assistant", [call])])
            return ChatResponse(messages=[Message("assistant", ["done"])])

        return respond()


@tool(name="get_order", approval_mode="never_require")
def get_order(id: str) -> dict:
    """Get an order."""
    return found(id)


def run(tool, watch, *ids, session=False):
    client = Scripted(*ids)

    async def talk():
        agent = Agent(client, tools=[tool], middleware=[OutcomeMiddleware(watch)] if watch else [])
        await agent.run("Where is my order?", session=agent.create_session() if session else None)

    asyncio.run(talk())
    contents = [content for message in client.heard for content in message.contents]
    return [content for content in contents if content.type == "function_result"]


def test_a_text_behind_the_result():
    watch, kept = watching()
    clean, wrong, failed = run(get_order, watch, CLEAN, BAD, RAISES, session=True)
    assert json.loads(clean.result) == order(1)
    raw, told = (item.text for item in wrong.items)
    assert json.loads(raw) == WRONG
    assert is_receipt(json.loads(told)["outcome_contract"])
    assert failed.exception
    assert kept.outcomes == ["clean", "flagged", "not_checked"]
    assert len({event.session for event in kept.events}) == 1


def test_each_session_has_a_memory_of_its_own_and_runs_without_one_have_none():
    kept = Kept()
    statuses = iter(["paid", "sent", "paid", "sent"])

    @tool(name="get_order", approval_mode="never_require")
    def changing(id: str) -> dict:
        """Get an order."""
        return {"order_id": id, "status": next(statuses)}

    watch = Watch(remembering(), kept)
    run(changing, watch, "W1", "W1", session=True)
    run(changing, watch, "W1", "W1")
    assert kept.outcomes == ["clean", "flagged", "clean", "clean"]


def test_what_the_model_reads_of_a_flagged_result_is_written_as_it_is_without_us():
    [raw] = run(get_order, None, BAD)
    [told] = run(get_order, watching()[0], BAD)
    assert told.items[0].text == raw.result
    assert told.result.startswith(raw.result)


def test_of_a_picture_only_the_sort_is_looked_at():
    watch, kept = watching()

    @tool(name="get_order", approval_mode="never_require")
    def with_picture(id: str) -> list:
        """Get an order."""
        return [Content.from_text(json.dumps(order(1))), Content.from_data(b"...", media_type="image/png")]

    run(with_picture, watch, CLEAN)
    [event] = kept.events
    assert event.outcome == "flagged"
    assert "<Content>" not in str(event.violations)
