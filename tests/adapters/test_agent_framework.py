"""Microsoft Agent Framework: runs without a session, and results of several contents."""

import json

from outcome_monitors.events import Watch
from tests.adapters.frameworks import framework
from tests.adapters.shop import watching
from tests.events.shop import Kept, order, remembering

agent = framework("agent_framework")
from agent_framework import Content

ASKS = [("get_order", {"id": "W1"})]


def test_runs_without_a_session_have_no_memory():
    watch = Watch(remembering(), kept := Kept())
    statuses = iter(["paid", "sent"])

    def get_order(id: str) -> dict:
        return {"order_id": id, "status": next(statuses)}

    agent.talk([get_order], ASKS * 2, None, watch=watch)
    assert kept.outcomes == ["clean", "clean"]


def test_of_a_picture_only_the_sort_is_looked_at():
    watch, kept = watching()

    def get_order(id: str) -> list:
        return [Content.from_text(json.dumps(order(1))), Content.from_data(b"...", media_type="image/png")]

    agent.talk([get_order], ASKS, watch=watch)
    [event] = kept.events
    assert event.outcome == "flagged"
    assert "<Content>" not in str(event.violations)
