"""smolagents: runs that go on, and the sort of agent that is refused."""

import pytest

from outcome_monitors.events import Watch
from outcome_monitors.exceptions import OutcomeMonitorsError
from tests.adapters.frameworks import framework
from tests.adapters.shop import watching
from tests.events.shop import Kept, remembering

smol = framework("smolagents")
from smolagents import CodeAgent

ASKS = [("get_order", {"id": "W1"})]


def test_a_run_that_starts_anew_is_another_conversation_and_one_that_goes_on_is_not():
    watch = Watch(remembering(), kept := Kept())
    statuses = iter(["paid", "sent", "paid"])

    def get_order(id: str) -> dict:
        """Get an order.

        Args:
            id: Which.
        """
        return {"order_id": id, "status": next(statuses)}

    agent = smol.watched(smol.agent_of([get_order], ASKS), watch)
    for reset in (True, False, True):
        agent.model = smol.Scripted(ASKS)
        agent.run("Where is my order?", reset=reset)
    assert kept.outcomes == ["clean", "flagged", "clean"]


def test_a_code_agent_is_refused_in_a_sentence():
    with pytest.raises(OutcomeMonitorsError, match="CodeAgent is no ToolCallingAgent"):
        smol.watched(CodeAgent(tools=[], model=smol.Scripted([])), watching()[0])
