"""Drift is told from faults, and both from chance."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from outcome_monitors import Call, Monitor, Registry
from outcome_monitors.alerting.alert_policy import AlertPolicy
from outcome_monitors.checking.replay import Replay
from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Corpus, Subject, faults
from outcome_monitors.lifecycle import ToolDrift, drift
from tests.lifecycle.orders import Result, clean, contracts, order

REGISTRY = contracts(60)


def judged(calls: list[Call], registry: Registry = REGISTRY) -> ToolDrift:
    [tool] = drift(calls, registry)
    return tool


def today(broken: Callable[[int], bool], change: Callable[[Result], None], calls: int = 60) -> list[Call]:
    return [order(1000 + n, change if broken(n) else None) for n in range(calls)]


def rename(result: Result) -> None:
    result["amount"] = result.pop("total")


def test_times_say_since_when_and_in_which_order():
    calls = [
        order(n, rename if n >= 25 else None, f"2026-08-{10 + n // 24:02d}T{n % 24:02d}:00:00Z")
        for n in range(60)
    ]
    random.Random(1).shuffle(calls)
    assert judged(calls).since == "2026-08-11T01:00:00Z"


def test_an_incident_that_has_passed_is_no_drift():
    found = judged(today(lambda n: 20 <= n < 40, rename))
    assert found.verdict == "faults"
    assert "all from call 21 to call 40 and none since" in found.sentence


def refund(result: Result) -> None:
    result["status"] = "refunded"


def add_field(result: Result) -> None:
    result["gift"] = None


@pytest.mark.parametrize(
    ("broken", "change", "verdict"),
    [
        (lambda n: n % 4 == 1, refund, "drift"),
        (lambda n: n >= 100, rename, "drift"),
        (lambda _: True, add_field, "drift"),
        (lambda n: n % 33 == 1, refund, "faults"),
        (lambda n: n % 33 == 1, rename, "faults"),
        (lambda n: 60 <= n < 100, rename, "faults"),
    ],
)
def test_the_verdict_is_that_of_the_live_policy(broken, change, verdict):
    """What is told no more at the end is drift; what would be told again, or always was, is a fault."""
    calls, live = today(broken, change, 200), AlertPolicy()
    replay = Replay(Monitor(REGISTRY))
    for call in calls:
        replay.judge(call, [live])
    assert (judged(calls).verdict, bool(live.changes.changes())) == (verdict, verdict == "drift")


def test_one_task_that_calls_often_is_one_witness():
    wrong = order(7, rename)
    found = judged([*clean(30, 500), *[wrong] * 30])
    assert found.verdict == "faults"
    assert max(clause.broken for clause in found.clauses) == 1


@pytest.mark.parametrize("result", [None, [], "text", 7, {"total": {"deep": []}}, float("nan")])
def test_results_of_any_shape_are_judged(result: Any):
    calls = [Call("get_order", {"id": f"W{n}"}, result, task=f"t{n}") for n in range(60)]
    assert judged(calls).verdict == "drift"
    assert judged([*clean(30, 500), calls[0]]).verdict == "faults"


def test_silent_faults_of_every_kind_at_once_are_no_drift():
    registry = contracts(90, "full")
    calls, rng, kinds = clean(90, 500), random.Random(3), faults(SUITES)
    corpus = Corpus.of(calls)
    struck = 0
    for index, call in enumerate(calls):
        if rng.random() < 0.2:
            made = [kind.apply(Subject(call, (), corpus)) for kind in kinds]
            result = rng.choice([found for found in made if found is not NOT_APPLICABLE])
            calls[index] = Call(call.tool, call.arguments, result, task=call.task)
            struck += 1
    found = judged(calls, registry)
    assert struck > 8
    assert (found.verdict, found.flagged > 3) == ("faults", True)


def test_a_verdict_says_since_when_and_what_has_changed():
    renamed = judged(today(lambda n: n >= 25, rename))
    assert renamed.since == "call 26"
    assert "Since call 26" in renamed.sentence
    assert "the tool has changed" in renamed.sentence
    new_value = judged(today(lambda n: n % 3 == 0, refund))
    assert "status (domain) is 'refunded' in 20 tasks: its data has changed" in new_value.sentence
