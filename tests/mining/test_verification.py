"""What is mined is held against the traces once more, by the run time's own check."""

from itertools import chain
from pathlib import Path

import pytest

from outcome_monitors import Call, Monitor, mine
from outcome_monitors.checking.replay import outcomes
from outcome_monitors.features.walk import task_hash
from outcome_monitors.mining.budget import BUDGET
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.parallel import show
from outcome_monitors.mining.validation import HeldOutResult, name_of, part_of
from outcome_monitors.mining.verification import Verification, verified
from outcome_monitors.model import Clause
from outcome_monitors.rules import KINDS, Candidate
from outcome_monitors.traces.reader import read_traces
from outcome_monitors_study.world import nominal_traces

WORLD = tuple(nominal_traces(16))
TRACES = Path(__file__).parents[3] / "shared" / "data" / "traces"
DOMAIN = Clause("domain", "state", {"values": ["open"]}, 40, 40, "traces")
CALLS = tuple(
    Call("get", {"id": n}, {"id": n, "state": "shut" if n % 10 == 0 else "open"}, task=f"task {n}")
    for n in range(40)
)


def trials():
    """Return the trial of one clause on each part, in which samples have shown nothing."""
    candidate = Candidate(DOMAIN)
    return [HeldOutResult("get", candidate, 10, {}, part, name_of("get", candidate)) for part in range(4)]


def test_what_samples_do_not_show_is_found_on_the_calls_of_each_part():
    found = verified(trials(), 4, lambda call: call, lambda one: one.add_all(CALLS))
    odd = {task_hash(call) for call in CALLS[::10]}
    for trial in found:
        assert trial.fired == {task: 1 for task in odd if part_of(task) == trial.part}


def test_verifications_merge_in_any_order_and_number_of_processes():
    clauses = [{"get": (DOMAIN,)}] * 4
    whole = Verification(clauses, Observations().learned_from)
    whole.add_all(CALLS)
    left, right = whole.empty(), whole.empty()
    left.add_all(CALLS[:13])
    right.add_all(CALLS[13:])
    right.merge(left)
    split = whole.empty()
    show(CALLS, split, 2)
    assert whole.fired == right.fired == split.fired != {}


def test_what_is_not_learned_from_is_not_verified_on():
    wrong = Call("get", {"id": 0}, {"id": 0, "state": "shut"}, task="task", error=True)
    clauses = [{"get": (DOMAIN,)}] * 4
    one = Verification(clauses, Observations().learned_from)
    one.add_all([wrong])
    assert one.fired == {}


def test_the_order_of_the_calls_and_how_they_are_shown_change_nothing():
    observations = Observations()
    observations.add_all(WORLD)
    by_list = observations.contracts(again=WORLD)
    assert observations.contracts(2, lambda found: show(reversed(WORLD), found, 2)) == by_list
    assert mine(iter(WORLD)) == by_list.registry


@pytest.mark.parametrize("name", ["linode_before", "tau_airline", "tau2_airline"])
def test_no_contract_flags_more_of_its_own_training_results_than_its_budget(name):
    """Learned clauses alone: built-in rules are nobody's clauses."""
    file = TRACES / f"{name}.jsonl.gz"
    if not file.exists():
        pytest.skip(f"{file} is not here")
    calls = [call for call in read_traces([file]) if not call.error]
    folds = [[call for call in calls if task_hash(call) % 5 == fold] for fold in range(2)]
    for fold in folds:
        left = [*chain.from_iterable(other for other in folds if other is not fold)]
        registry = mine(left)
        flagged = sum(
            any(clause.kind in KINDS and clause.source == "traces" for clause, _ in outcome.broken)
            for _, outcome in outcomes(left, registry)
        )
        assert flagged <= BUDGET * len(left)


def test_a_clause_that_breaks_on_its_own_results_is_refused():
    registry = mine(CALLS)
    monitor = Monitor(registry)
    assert not any(monitor.check(call.tool, call.arguments, call.result) for call in CALLS)
