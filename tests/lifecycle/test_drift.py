"""Drift is distinguished from faults, as the live change test does."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from outcome_monitors import Call, Registry
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
        (lambda _: False, rename, "holds"),
    ],
)
def test_what_lasts_is_drift_and_what_passes_is_a_fault(broken, change, verdict):
    assert judged(today(broken, change, 200)).verdict == verdict


def test_one_task_that_calls_often_is_one_witness():
    found = judged([*clean(30, 500), *[order(7, rename)] * 30])
    assert found.verdict == "faults"
    assert max(clause.tasks for clause in found.clauses) == 1


@pytest.mark.parametrize("result", [None, [], "text", 7, {"total": {"deep": []}}, float("nan")])
def test_unusable_results_are_faults_however_many(result: Any):
    calls = [Call("get_order", {"id": f"W{n}"}, result, task=f"t{n}") for n in range(60)]
    assert (judged(calls).verdict, judged(calls).flagged) == ("faults", 60)
    assert "no usable result since" in judged(calls).sentence
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


def test_the_verdict_says_since_when_and_what_has_changed():
    renamed = judged(today(lambda n: n >= 25, rename))
    assert renamed.since == "call 26"
    assert "traces since call 26" in renamed.sentence
    timed = [
        order(n, rename if n >= 25 else None, f"2026-08-{10 + n // 24:02d}T{n % 24:02d}:00:00Z")
        for n in range(60)
    ]
    assert judged(timed).since == "2026-08-11T01:00:00Z"
    assert (
        "status of get_order has a new value 'refunded'"
        in judged(today(lambda n: n % 3 == 0, refund)).sentence
    )
