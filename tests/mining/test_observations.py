"""Mining: what counts as evidence, and cross-fitting."""

import pytest

from outcome_monitors import Call, mine
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.mining.observations import Observations
from tests.mining.described import described

CALLS = [
    Call(
        "get", {"id": f"{task}-{i}"}, {"id": f"{task}-{i}", "status": "open", "n": i + 1}, task=f"task {task}"
    )
    for task in range(40)
    for i in range(3)
]


def test_support_is_counted_in_samples_and_in_distinct_tasks():
    (clause,) = [c for c in mine(CALLS, "paper").contracts["get"].clauses if c.kind == "domain"]
    assert (clause.samples, clause.tasks) == (120, 40)


def test_calls_that_failed_openly_are_not_mined():
    failed = Call("get", {}, {"error": "no"}, task="x", error=True)
    assert mine([*CALLS, failed], "paper") == mine(CALLS, "paper")


def test_a_giant_and_a_deep_result_are_observed_within_bounds():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    giant = {f"k{i}": i for i in range(200_000)}
    registry = mine([Call("deep", {}, deep, task="1"), Call("giant", {}, giant, task="1")], "paper")
    assert set(registry.contracts) == {"deep", "giant"}


def test_a_share_is_of_tasks_whatever_the_order_and_says_what_it_left_out() -> None:
    calls = [Call("t", {}, {"n": n % 7}, task=f"task {n // 3}") for n in range(3000)]
    few = Observations("full", share=0.2)
    for call in reversed(calls):
        few.add(call)
    assert few.calls + few.left_out == len(calls)
    assert 450 < few.calls < 750
    assert few.calls % 3 == few.left_out % 3 == 0
    together = few.empty()
    halves = [few.empty(), few.empty()]
    for number, call in enumerate(calls):
        halves[number % 2].add(call)
    for half in halves:
        together.merge(half)
    assert together.contracts() == few.contracts()
    assert together.contracts().registry == mine(calls, share=0.2)


@pytest.mark.parametrize("share", [0.0, -1.0, 1.5, float("nan")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(OutcomeMonitorsError, match="a share of the tasks is above 0 and at most 1"):
        Observations("full", share=share)


@pytest.mark.parametrize("name", [".", "", "a.b", "[x]", "@", 'x"y', "*"])
def test_a_field_or_an_argument_may_have_any_name(name: str) -> None:
    for made in (lambda n: n * 1.5, lambda n: f"t{n % 2}", lambda n: {name: n}, lambda n: [n]):
        calls = [Call("set", {name: n, "id": n}, {name: made(n), "id": n}, task=f"t{n}") for n in range(12)]
        assert mine(calls, "full").contracts["set"].clauses


def test_what_a_caller_changes_afterwards_was_observed_as_it_was() -> None:
    found = {True: Observations("full"), False: Observations("full")}
    for change, observations in found.items():
        for number in range(40):
            arguments, rows = {"ids": [number % 3]}, [{"id": number % 3}]
            observations.add(Call("set_it", arguments, {"rows": rows}, f"{number}", f"{number % 5}"))
            if change:
                arguments["ids"].append(99)
                rows.append({"id": 99})
    assert described(found[True]) == described(found[False])


def test_of_a_tool_that_was_called_in_one_task_next_to_nothing_is_said() -> None:
    calls = [Call("get_page", {"n": n}, {"page": "text"}, task="one") for n in range(9)]
    clauses = mine(calls, "full").contracts["get_page"].clauses
    assert ("type", "") not in {(clause.kind, clause.path) for clause in clauses}


def test_a_tool_that_is_called_rarely_has_the_clauses_of_one_with_results_of_the_same_shape() -> None:
    calls = []
    for number in range(120):
        state = ("open", "held", "shut", "lost")[number % 4]
        fields = {f"field_{i}": f"{i} {number}" for i in range(10)}
        result = {**fields, "state": state, "sent": f"T{number}" if state == "shut" else None}
        tools = ("get", "cancel") if number < 24 else ("get",)
        calls += [Call(tool, {"id": number}, result, task=f"{tool} {number}") for tool in tools]
    clauses = mine(calls, "full").contracts["cancel"].clauses
    given = [clause.params for clause in clauses if clause.kind == "conditional"]
    assert (".state", ".sent") in {(params["given"], params["field"]) for params in given}
