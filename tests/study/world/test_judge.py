"""The judge of facts: any words, any order and any path that do what was asked pass, and nothing else does."""

import json

import pytest

from outcome_monitors_study.environments.world import WorldEpisode
from outcome_monitors_study.world import World, workflows
from outcome_monitors_study.world.agents import Run, naive
from outcome_monitors_study.world.scoring import Evaluator, Shown, orders, score
from outcome_monitors_study.world.toolmaze import COMPLEXITIES, Task
from tests.study.world.dialects import ANSWERS, LETTERS, WRONG, harm, reworded


@pytest.fixture(scope="module")
def made():
    return list(workflows(400, 0))


def acted(workflow, words=str, order=0, path=None):
    """Carry a workflow out in other words, in another order or along another path."""
    world = World(workflow.seed)
    return world, naive(list(orders(workflow))[order], reworded(world.call, words), path)


def turn(table, number, count):
    """Return some entries of a table, each time others."""
    return [list(table.values())[(number + each) % len(table)] for each in range(count)]


@pytest.mark.parametrize("level", COMPLEXITIES)
def test_each_workflow_passes_in_three_wordings_and_fails_in_three(made, level):
    """Free texts are reworded, parts reordered, other paths taken; then answers are spoilt, and the world is."""
    judged = 0
    for number, workflow in enumerate(each for each in made if each.complexity == level):
        evaluator = Evaluator(workflow)
        letters = turn({name: LETTERS[name] for name in ("greeted", "a letter", "shouted")}, number, 2)
        one, other, third = turn(ANSWERS, number, 3)
        along = acted(workflow, letters[0], path=list(workflow.paths())[-1])
        world, run = acted(workflow, letters[1], order=-1)
        for (left, done), say in ((along, one), (along, other), ((world, run), third)):
            found = evaluator.score(left, say(workflow, done))
            assert found.completed, (workflow.task_id, say(workflow, done), found)
        for spoil in turn(WRONG, number, 3):
            assert not evaluator.score(world, spoil(workflow, run)).completed, (workflow.task_id, spoil)
        world.call(*list(harm())[number % 2])
        assert evaluator.score(world, run).wrong_changes, workflow.task_id
        judged += 1
    assert judged == 100


@pytest.fixture(scope="module")
def some(made):
    """Return a workflow with a change, a message and small numbers: how many to-dos are open, and how many overdue."""
    return next(w for w in made if {"e1.open", "e1.overdue"} < {a.name for a in w.report} and w.letters)


@pytest.mark.parametrize(
    "nothing",
    [None, "", " \n", {}, [], 0, b"\xff", {"a": {1, 2}}, "\ud800", "9" * 5000, Run("scripted"), object()],
)
def test_odd_answers_are_judged_as_missing_facts(some, nothing):
    task = Task(some.task_id, some.complexity, "P0", {})
    verdict = WorldEpisode(some, task).judge(nothing)
    assert not verdict.completed
    assert set(verdict.details["unsaid"]) == {asked.name for asked in some.report}
    assert verdict.details["missing_changes"]
    json.dumps(verdict.details)


def test_a_message_says_what_it_should_to_whom_it_should(some):
    assert score(some, *acted(some)).completed
    silent = score(some, *acted(some, lambda _: "Hello!"))
    assert not silent.completed
    assert silent.unsent

    def to_another(tool, given):
        role = {"send_mail": "recipient", "dispatch_message": "target"}.get(tool)
        return elsewhere.call(tool, {**given, role: other} if role else given)

    elsewhere = World(some.seed)
    other = next(key for key in elsewhere._state["contacts"]._first if key not in some.query)
    found = score(some, elsewhere, naive(some, to_another))
    assert found.missing_changes
    assert found.wrong_changes


def test_a_wrong_value_is_a_contradiction_unless_it_is_called_wrong(made):
    workflow = next(w for w in made if any(asked.name == "e1.refund" for asked in w.report))
    world, run = acted(workflow)
    entry = next(
        entry for entry in world.log if entry.tool in {"cancel_order", "void_purchase", "cancel_booking"}
    )
    truth = next(fact.partition(": ")[2] for fact in run.said.split("; ") if fact.startswith("refund"))
    wrong = json.loads(
        json.dumps(entry.result).replace(truth, "777.77").replace(truth.replace(".", ""), "77777")
    )
    shown = [Shown(entry.result, wrong)]
    assert score(workflow, world, run, shown).completed
    hedged = score(workflow, world, f"{run.said}. The refund is 777.77.", shown)
    assert (hedged.contradicted, hedged.completed) == (("e1.refund",), False)
    assert score(workflow, world, f"{run.said}. At first 777.77 was shown, which was wrong.", shown).completed
