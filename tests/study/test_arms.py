"""Each arm does one thing to what the agent sees."""

import json

import pytest

from outcome_monitors import Call, Relations, mine
from outcome_monitors.recovery.relations import Relation
from outcome_monitors_study.arms import ARMS, Bench
from outcome_monitors_study.world.agents import listed_tools

ARGUMENTS = {"order_id": "W1"}
GOOD = {"order_id": "W1", "total": 10, "status": "sent"}
BAD = {"order_id": "W1", "total": -10, "status": "sent"}


@pytest.fixture
def bench():
    calls = [
        Call(
            "get_order",
            {"order_id": f"W{n}"},
            {"order_id": f"W{n}", "total": n + 1, "status": "sent"},
            task=f"t{n}",
        )
        for n in range(20)
    ]
    relations = Relations({"get_order": [Relation("find_order", 1.0, "declared", "why", {"order_id": "id"})]})
    return Bench(mine(calls, "paper"), mine([], "paper"), relations, tools=("get_order", "find_order"))


def given(bench, name, *results):
    arm = ARMS[name](bench)
    return [arm.deliver("get_order", ARGUMENTS, result) for result in results]


def test_the_baseline_passes_the_very_same_object(bench):
    [first, second] = given(bench, "baseline", GOOD, BAD)
    assert first.content is GOOD
    assert second.content is BAD


@pytest.mark.parametrize("name", ["advisory-v1", "advisory-v2", "generic", "stripped"])
def test_advisory_arms_add_receipts_to_flagged_results_only(bench, name):
    [first, second] = given(bench, name, GOOD, BAD)
    assert first.content is GOOD
    assert second.content["tool_result"] is BAD
    assert second.content["outcome_contract"] == second.receipt
    assert second.violations[0].code == "nonpositive_value"
    listed = "find_order" in str(second.receipt)
    assert listed == (name != "stripped")


def test_advisory_note_follows_the_text_of_the_result(bench):
    [first, second] = given(bench, "advisory-note", GOOD, BAD)
    assert first.content is GOOD
    raw, empty, said = second.content.rpartition("\n\n")
    assert (json.loads(raw), empty) == (BAD, "\n\n")
    assert said == second.receipt["note"]
    assert "find_order" in said


def test_the_schema_arm_lists_the_tool_itself_alone(bench):
    bench.schemas = bench.registry
    [learned], [public] = (given(bench, name, BAD) for name in ("advisory-v2", "schema-only"))
    assert listed_tools(learned.receipt) == ["get_order", "find_order"]
    assert listed_tools(public.receipt) == ["get_order"]
    assert {**learned.receipt, "admissible_recovery_tools": ["get_order"]} == public.receipt


@pytest.mark.parametrize("name", ["always-warn", "always-warn-stripped"])
def test_always_warn_adds_a_receipt_to_every_result(bench, name):
    contents = [delivery.content for delivery in given(bench, name, GOOD, BAD)]
    assert [content["tool_result"] for content in contents] == [GOOD, BAD]
    assert all(
        ("admissible_recovery_tools" in c["outcome_contract"]) == (name == "always-warn") for c in contents
    )


def test_matched_placebo_delivers_each_warning_once_at_a_later_result(bench):
    deliveries = given(bench, "matched-placebo", BAD, BAD, GOOD, GOOD, GOOD)
    assert [delivery.receipt is not None for delivery in deliveries] == [False, False, True, True, False]
    assert deliveries[0].content is BAD
    assert deliveries[0].violations
    [true] = given(bench, "generic", BAD)
    assert deliveries[2].receipt == true.receipt


def test_always_verify_calls_the_substitute_with_its_own_arguments(bench):
    asked = []

    def call(tool, arguments):
        asked.append((tool, arguments))
        return {"total": 10}

    bench.call = call
    [delivery] = given(bench, "always-verify", BAD)
    assert asked == [("find_order", {"id": "W1"})]
    assert delivery.content["tool_result"] is BAD
    assert delivery.content["verification"]["result"] == {"total": 10}


def test_hard_guard_withholds_flagged_results(bench):
    [good, bad] = given(bench, "hard-guard", GOOD, BAD)
    assert good.content is GOOD
    assert "error" in bad.content
    assert "-10" not in str(bad.content)


def test_self_critique_asks_once(bench):
    arm = ARMS["self-critique"](bench)
    assert "check your own work" in (arm.after("done") or "")
    assert arm.after("done") is None


def test_the_reviewer_sends_a_call_back_five_times_at_most(bench):
    bench.ask = lambda _: "Use the other tool."
    arm = ARMS["reviewer"](bench)
    said = [arm.before("get_order", ARGUMENTS, "") for _ in range(6)]
    assert [text is not None for text in said] == [True] * 5 + [False]
    assert said[0] == {
        "status": "not_executed",
        "review": {"property": "generic_feedback", "message": "Use the other tool."},
    }
    for verdict in ("Approve.", ""):
        bench.ask = lambda _, verdict=verdict: verdict
        assert ARMS["reviewer"](bench).before("get_order", ARGUMENTS, "") is None


OURS = {"advisory-note", "advisory-v2-safe"}


def _selling(bench):
    """Return the bench with a write that has a substitute that writes, too, and a read that shows it."""
    calls = [
        Call("sell", {"sku": f"S{n}"}, {"order_id": f"W{n}", "total": n + 1}, task=f"t{n}") for n in range(20)
    ]
    found = {
        "sell": [Relation("charge_card", 1.0, "declared", "why"), Relation("hidden", 0.9, "declared", "why")]
    }
    checks = {"sell": [Relation("get_order", 0.9, "check", "why")]}
    tools = ("sell", "charge_card", "get_order")
    return Bench(mine(calls, "full"), mine([], "full"), Relations(found, checks=checks), tools=tools)


@pytest.mark.parametrize(
    "name", sorted(name for name in ARMS if name.startswith("advisory") or name == "generic")
)
def test_arms_of_the_paper_list_tools_as_algorithm_1_and_ours_the_safe_list(bench, name):
    arm = ARMS[name](_selling(bench))
    for _ in range(2):
        receipt = arm.deliver("sell", {"sku": "S1"}, {"order_id": "W1", "total": -1}).receipt
        if name != "advisory-text":
            wanted = ["get_order"] if name in OURS else ["sell", "charge_card"]
            assert listed_tools(receipt) == wanted


def test_no_arm_can_reach_a_task_or_a_score():
    assert set(Bench.__dataclass_fields__) == {
        "registry", "schemas", "relations", "inputs", "described", "tools", "call", "ask", "monitors",
    }  # fmt: skip
