"""smolagents: whole runs of a tool-calling agent with a scripted model."""

import pytest

pytest.importorskip("smolagents", reason="needs smolagents: make compat")

from smolagents import CodeAgent, Model, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
)

from outcome_monitors.adapters.smolagents import watched
from outcome_monitors.events import Watch
from outcome_monitors.exceptions import OutcomeMonitorsError
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, found, is_receipt, receipt_in, watching
from tests.events.shop import Kept, order, remembering


class Scripted(Model):
    def __init__(self, *ids):
        super().__init__()
        self.steps = [("get_order", {"id": id}) for id in ids] + [("final_answer", {"answer": "done"})]
        self.number = 0

    def generate(self, messages, **kwargs):
        name, arguments = self.steps[self.number % len(self.steps)]
        self.number += 1
        call = ChatMessageToolCallFunction(name=name, arguments=arguments)
        calls = [ChatMessageToolCall(id=f"c{self.number}", type="function", function=call)]
        return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=calls)


@tool
def get_order(id: str) -> dict:
    """Get an order.

    Args:
        id: Which.
    """
    return found(id)


def agent_of(tool, *ids):
    return ToolCallingAgent(tools=[tool], model=Scripted(*ids), verbosity_level=0)


def test_a_dict_stays_as_python_prints_it():
    watch, kept = watching()
    agent = watched(agent_of(get_order, CLEAN, BAD, RAISES), watch)
    assert agent.run("Where is my order?") == "done"
    steps = agent.memory.steps[1:]
    assert steps[0].observations == str(order(1))
    assert steps[1].observations.startswith(f"{WRONG}\n\n")
    assert is_receipt(receipt_in(steps[1].observations))
    assert "the shop is closed" in str(steps[2].error)
    assert kept.outcomes == ["clean", "flagged", "not_checked"]
    assert len({event.session for event in kept.events}) == 1


def test_a_run_that_starts_anew_is_another_conversation():
    kept = Kept()
    statuses = iter(["paid", "sent", "paid"])

    @tool
    def get_order(id: str) -> dict:
        """Get an order.

        Args:
            id: Which.
        """
        return {"order_id": id, "status": next(statuses)}

    agent = watched(agent_of(get_order, "W1"), Watch(remembering(), kept))
    agent.run("Where is my order?")
    agent.run("And now?", reset=False)
    agent.run("Where is my order?")
    assert kept.outcomes == ["clean", "flagged", "clean"]


def test_a_code_agent_is_refused_in_a_sentence():
    with pytest.raises(OutcomeMonitorsError, match="CodeAgent is no ToolCallingAgent"):
        watched(CodeAgent(tools=[], model=Scripted()), watching()[0])


def test_what_the_model_reads_of_a_flagged_result_is_written_as_it_is_without_us():
    plain, flagged = agent_of(get_order, BAD), watched(agent_of(get_order, BAD), watching()[0])
    for agent in (plain, flagged):
        agent.run("Where is my order?")
    raw, told = (agent.memory.steps[1].observations for agent in (plain, flagged))
    assert told.startswith(f"{raw}\n\n")
