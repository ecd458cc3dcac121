"""OpenAI Agents SDK: whole agent loops with its own scripted model."""

import asyncio
import json

import pytest

pytest.importorskip("agents.testing", reason="needs openai-agents: make compat")

from agents import Agent, RunConfig, Runner, ToolOutputText, function_tool, set_tracing_disabled
from agents.testing import ScriptedModel, assistant_message, function_call

from outcome_monitors.adapters.openai_agents import watched
from outcome_monitors.events import Watch
from tests.adapters.shop import BAD, CLEAN, RAISES, WRONG, found, is_receipt, receipt_in, watching
from tests.events.shop import Kept, order, remembering

set_tracing_disabled(True)


@function_tool
def get_order(id: str) -> dict:
    """Get an order."""
    return found(id)


@function_tool(name_override="get_order")
def get_text(id: str) -> str:
    """Get an order as JSON."""
    return json.dumps(found(id))


@function_tool(name_override="get_order")
def get_block(id: str) -> ToolOutputText:
    """Get an order as a block."""
    return ToolOutputText(text=json.dumps(found(id)))


@function_tool(name_override="get_order", failure_error_function=lambda _context, error: f"sorry: {error}")
async def get_politely(id: str) -> dict:
    """Get an order, or an excuse."""
    return found(id)


def run(tools, *ids, config=None):
    """Return what the model read."""
    steps = [[function_call("get_order", {"id": id}, call_id=f"c{number}")] for number, id in enumerate(ids)]
    model = ScriptedModel([*steps, [assistant_message("done")]])
    agent = Agent("shop", model=model, tools=tools)
    result = asyncio.run(Runner.run(agent, "Where is my order?", run_config=config))
    items = result.to_input_list()
    return [item["output"] for item in items if item.get("type") == "function_call_output"]


def test_a_dict_stays_as_python_prints_it():
    watch, kept = watching()
    clean, wrong = run(watched([get_order], watch), CLEAN, BAD)
    assert clean == str(order(1))
    assert wrong.startswith(f"{WRONG}\n\n")
    assert is_receipt(receipt_in(wrong))
    assert kept.outcomes == ["clean", "flagged"]
    assert len({event.session for event in kept.events}) == 1


def test_json_text_gets_an_envelope():
    watch, _ = watching()
    clean, wrong = run(watched([get_text], watch), CLEAN, BAD)
    assert clean == json.dumps(order(1))
    said = json.loads(wrong)
    assert said["tool_result"] == WRONG
    assert is_receipt(said["outcome_contract"])


def test_blocks_get_a_block():
    watch, kept = watching()
    clean, wrong = run(watched([get_block], watch), CLEAN, BAD)
    assert [json.loads(block["text"]) for block in clean] == [order(1)]
    raw, told = (json.loads(block["text"]) for block in wrong)
    assert raw == WRONG
    assert is_receipt(told["outcome_contract"])
    assert kept.outcomes == ["clean", "flagged"]


@pytest.mark.parametrize("tool", [get_order, get_politely])
def test_a_failure_is_told_as_the_sdk_tells_it_and_not_checked(tool):
    watch, kept = watching()
    assert run(watched([tool], watch), RAISES) == run([tool], RAISES)
    assert kept.outcomes == ["not_checked"]


def test_runs_of_one_group_share_a_memory_and_others_do_not():
    kept = Kept()
    statuses = iter(["paid", "sent", "paid", "sent"])

    @function_tool(name_override="get_order")
    def changing(id: str) -> dict:
        """Get an order."""
        return {"order_id": id, "status": next(statuses)}

    tools = watched([changing], Watch(remembering(), kept))
    group = RunConfig(group_id="a")
    for config in (group, group, None, None):
        run(tools, "W1", config=config)
    assert kept.outcomes == ["clean", "flagged", "clean", "clean"]


@pytest.mark.parametrize("tool", [get_order, get_text, get_politely])
def test_what_the_model_reads_of_a_flagged_result_is_written_as_it_is_without_us(tool):
    [raw] = run([tool], BAD)
    [told] = run(watched([tool], watching()[0]), BAD)
    assert raw in told
    assert raw != told
