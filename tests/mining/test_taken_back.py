"""A contract takes back a built-in rule that a tool's clean results violate in enough tasks, and says so."""

import pytest

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.exceptions import ContractError
from outcome_monitors.mining.observations import Observations
from tests.mining.described import described

OFF = {"off": True}


def calls(ignored, tasks=40):
    """Searches by status, of which some have rows of another."""
    for number in range(tasks):
        status = "closed" if number in ignored else "open"
        rows = [{"id": f"I{number}", "status": "open"}, {"id": f"J{number}", "status": status}]
        yield Call("list_issues", {"status": "open"}, {"issues": rows}, task=f"t{number}")


def clauses(registry):
    return [clause for clause in registry.contracts["list_issues"].clauses if clause.params == OFF]


def test_a_rule_that_clean_results_violate_often_is_taken_back():
    registry = mine(calls(range(0, 40, 5)))
    [clause] = clauses(registry)
    assert (clause.kind, clause.samples, clause.tasks, clause.source) == ("request_honored", 8, 8, "traces")
    assert Registry.loads(registry.dumps()) == registry
    [other] = calls({0}, tasks=1)
    assert {one.code for one in Monitor().check(other.tool, other.arguments, other.result)} == {
        "request_ignored"
    }
    assert Monitor(registry).check(other.tool, other.arguments, other.result) == ()


@pytest.mark.parametrize("ignored", [{0, 1}, set()])
def test_a_rule_that_few_results_violate_stays(ignored):
    assert clauses(mine(calls(ignored))) == []


def test_counts_merge():
    whole, left, right = Observations(), Observations(), Observations()
    for number, call in enumerate(calls(range(0, 40, 5))):
        whole.add(call)
        (left if number % 3 else right).add(call)
    left.merge(right)
    assert described(left) == described(whole)
    assert clauses(left.contracts().registry) == clauses(whole.contracts().registry)


def test_the_published_profile_has_none():
    assert clauses(mine(calls(range(40)), "paper")) == []


def test_a_contract_can_only_take_a_built_in_rule_back():
    text = mine(calls(range(0, 40, 5))).dumps()
    with pytest.raises(ContractError, match="only take it back"):
        Registry.loads(text.replace('{"off": true}', '{"off": false}'))
