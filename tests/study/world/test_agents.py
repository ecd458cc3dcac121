"""Scripted agents under silent faults: what reaches them, what they do, and how it is scored."""

from collections.abc import Mapping
from typing import Any

import pytest

from bench._injection import Injection
from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Corpus, Fault, Subject
from outcome_monitors_study.world import World, nominal_traces, workflows
from outcome_monitors_study.world.agents import Interface, Script, follows_receipts, naive
from outcome_monitors_study.world.scoring import score


def _fault(apply: Any) -> Fault:
    return Fault("made_up", "tests", "none", "field", apply)


def _zeroed(subject: Subject) -> Any:
    """Put zero or an empty text in place of every value at the top."""
    blank = {k: 0 if isinstance(v, int | float) else "" for k, v in subject.call.result.items()}
    return blank if blank != subject.call.result else NOT_APPLICABLE


ZEROED = _fault(_zeroed)


@pytest.fixture(scope="module")
def made():
    return list(workflows(120, 0))


@pytest.fixture(scope="module")
def corpus():
    return Corpus.of(nominal_traces(60, 0))


def _advised(interface: Interface, suspects: Mapping[str, list[str]], clean: Mapping[str, Any]) -> Interface:
    """Put a receipt beside every result of a suspect tool that is not the true one."""

    def call(tool: str, arguments: Mapping[str, Any]) -> Any:
        seen = interface(tool, arguments)
        if tool not in suspects or (seen.keys() == clean[tool].keys() and "" not in seen.values()):
            return seen
        return {"tool_result": seen, "outcome_contract": {"admissible_recovery_tools": suspects[tool]}}

    return call


def _with_choice(made, need):
    """Return a workflow that leaves a choice at a need, with the tools of each way."""
    workflow = next(workflow for workflow in made if need in workflow.slots)
    return workflow, [way.tools for way in workflow.ways[need]]


def test_faults_never_touch_the_state_or_the_log(made, corpus):
    assert made
    for index, workflow in enumerate(made):
        faults = [*SUITES["toolmaze"], *SUITES["incident"]]
        fault = faults[index % len(faults)]
        clean = World(workflow.seed)
        calls = [(entry.tool, entry.arguments) for entry in _replayed(workflow, clean)]
        faulty = World(workflow.seed)
        injection = Injection(faulty, fault, calls[index % len(calls)][0], permanent=True, corpus=corpus)
        for tool, arguments in calls:
            injection.call(tool, arguments)
        assert faulty.changes() == clean.changes()
        assert faulty.log == clean.log
        assert all(hit.seen != hit.true for hit in injection.hits)


def _replayed(workflow, world):
    naive(workflow, world.call)
    return list(world.log)


@pytest.mark.parametrize("permanent", [False, True])
def test_following_receipts_recovers_where_an_alternative_exists(made, corpus, permanent):
    for need in ("customer", "order", "flight", "statistics"):
        workflow, ways = _with_choice(made, need)
        victim = ways[0][0]
        listed = {victim: [victim, *(tools[0] for tools in ways[1:])]}
        clean = {entry.tool: entry.result for entry in _replayed(workflow, World())}

        def outcome(script: Script, workflow=workflow, victim=victim, listed=listed, clean=clean):
            world = World(workflow.seed)
            injection = Injection(world, ZEROED, victim, permanent=permanent, corpus=corpus)
            run = script(workflow, _advised(injection.call, listed, clean))
            return run, score(workflow, world, run)

        assert not outcome(naive)[1].completed
        ignoring, failed = outcome(follows_receipts(0.0))
        assert (ignoring.heeded, failed.completed) == (0, False)
        heeding, recovered = outcome(follows_receipts(1.0))
        assert recovered.completed, (need, recovered)
        assert heeding.heeded == heeding.receipts if not permanent else heeding.heeded >= 1


def test_a_write_that_is_repeated_on_a_receipt_shows_as_harm(made, corpus):
    workflow = next(w for w in made if "purchase" in w.ways and w.complexity == "C1")
    victim = workflow.ways["purchase"][0].tools[0]
    clean = {entry.tool: entry.result for entry in _replayed(workflow, World())}
    world = World(workflow.seed)
    injection = Injection(world, ZEROED, victim, permanent=False, corpus=corpus)
    run = follows_receipts()(workflow, _advised(injection.call, {victim: [victim]}, clean))
    judged = score(workflow, world, run)
    assert not judged.completed
    assert any(place.startswith("orders/") for place in judged.wrong_changes)
