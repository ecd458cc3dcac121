"""Google ADK: whole runs with a scripted model."""

import asyncio

import pytest

pytest.importorskip("google.adk.plugins.base_plugin", reason="needs google-adk: make compat")

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from outcome_monitors.adapters.google_adk import OutcomePlugin
from outcome_monitors.events import Watch
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, Broken, found, is_receipt, watching
from tests.events.shop import Kept, order, remembering


class Scripted(BaseLlm):
    ids: list[str]

    async def generate_content_async(self, llm_request, stream=False):
        if self.ids:
            part = types.Part.from_function_call(name="get_order", args={"id": self.ids.pop(0)})
        else:
            part = types.Part.from_text(text="done")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def get_order(id: str) -> dict:
    """Get an order."""
    return found(id)


def run(tool, watch, *ids):
    """Return the responses that the model read."""

    async def talk():
        agent = LlmAgent(name="shop", model=Scripted(model="scripted", ids=list(ids)), tools=[tool])
        app = App(name="shop", root_agent=agent, plugins=[OutcomePlugin(watch)] if watch else [])
        runner = InMemoryRunner(app=app)
        session = await runner.session_service.create_session(app_name="shop", user_id="u")
        ask = types.Content(role="user", parts=[types.Part.from_text(text="Where is my order?")])
        found = []
        async for event in runner.run_async(user_id="u", session_id=session.id, new_message=ask):
            found += [response.response for response in event.get_function_responses()]
        return found

    return asyncio.run(talk())


def test_a_dict_gets_an_envelope():
    watch, kept = watching()
    clean, wrong = run(get_order, watch, CLEAN, BAD)
    assert clean == order(1)
    assert wrong["tool_result"] == WRONG
    assert is_receipt(wrong["outcome_contract"])
    assert kept.outcomes == ["clean", "flagged"]
    assert len({event.session for event in kept.events}) == 1


def test_what_a_tool_raises_passes():
    watch, kept = watching()
    with pytest.raises(Broken):
        run(get_order, watch, RAISES)
    assert [event.why for event in kept.events] == ["the call raised Broken"]


def test_answers_of_mcp_tools_are_read_by_what_they_say():
    watch, kept = watching()
    answer = {"content": [{"type": "text", "text": "an order"}], "structuredContent": WRONG, "isError": False}

    def as_mcp(id: str) -> dict:
        return answer if id == BAD else {**answer, "isError": True}

    as_mcp.__name__ = "get_order"
    wrong, failed = run(as_mcp, watch, BAD, RAISES)
    assert wrong["tool_result"] == answer
    assert failed == {**answer, "isError": True}
    assert kept.outcomes == ["flagged", "not_checked"]


def test_each_session_has_a_memory_of_its_own():
    kept = Kept()
    statuses = iter(["paid", "sent", "paid"])

    def changing(id: str) -> dict:
        return {"order_id": id, "status": next(statuses)}

    changing.__name__ = "get_order"
    watch = Watch(remembering(), kept)
    run(changing, watch, "W1", "W1")
    run(changing, watch, "W1")
    assert kept.outcomes == ["clean", "flagged", "clean"]


def test_what_the_model_reads_of_a_flagged_result_is_written_as_it_is_without_us():
    [raw] = run(get_order, None, BAD)
    [told] = run(get_order, watching()[0], BAD)
    assert told["tool_result"] == raw
