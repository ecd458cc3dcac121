"""Microsoft Agent Framework: runs without a session."""

from outcome_monitors.events import Watch
from tests.adapters.frameworks import framework
from tests.events.shop import Kept, remembering

agent = framework("agent_framework")

ASKS = [("get_order", {"id": "W1"})]


def test_runs_without_a_session_have_no_memory():
    watch = Watch(remembering(), kept := Kept())
    statuses = iter(["paid", "sent"])

    def get_order(id: str) -> dict:
        return {"order_id": id, "status": next(statuses)}

    agent.talk([get_order], ASKS * 2, None, watch=watch)
    assert kept.outcomes == ["clean", "clean"]
