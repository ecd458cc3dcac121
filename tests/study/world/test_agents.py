"""Scripted agents under silent faults: what reaches them, what they do, and how it is scored."""

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from bench._injection import Injection
from outcome_monitors.audit.faults import NOT_APPLICABLE, SUITES, Corpus, Fault, Subject
from outcome_monitors_study.world import TOOLS, World, nominal_calls, nominal_traces, workflows
from outcome_monitors_study.world.agents import Interface, Script, follows_receipts, naive
from outcome_monitors_study.world.scoring import Shown, score


def _fault(apply: Any) -> Fault:
    return Fault("made_up", "tests", "none", "For tests.", "field", "none", apply)


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


def test_a_transient_fault_strikes_once_and_a_permanent_one_always(made, corpus):
    workflow = next(w for w in made if sum(s.ask.need == "contact" for s in w.steps) >= 2)
    victim = workflow.ways["contact"][0].tools[0]
    times = sum(call.tool == victim for call in nominal_calls(workflow))
    for permanent, expected in ((False, 1), (True, times)):
        injection = Injection(World(), ZEROED, victim, permanent=permanent, corpus=corpus)
        naive(workflow, injection.call)
        assert len(injection.hits) == expected


def test_a_fault_that_has_no_place_leaves_the_result_as_it_is(made, corpus):
    workflow = made[0]
    victim = next(iter(nominal_calls(workflow))).tool
    injection = Injection(World(), _fault(lambda _: NOT_APPLICABLE), victim, permanent=True, corpus=corpus)
    run = naive(workflow, injection.call)
    assert injection.hits == []
    assert run == naive(workflow, World().call)


def test_an_open_failure_is_not_corrupted(corpus):
    injection = Injection(World(), ZEROED, "get_order", permanent=True, corpus=corpus)
    assert injection.call("get_order", {"order_id": "ORD-1"})["code"] == "not_found"
    assert injection.hits == []


def test_the_naive_script_often_fails_under_silent_faults(made, corpus):
    hit = failed = 0
    for index, workflow in enumerate(made[:60]):
        calls = list(nominal_calls(workflow))
        for fault in SUITES["toolmaze"]:
            world = World(workflow.seed)
            victim = calls[index % len(calls)].tool
            injection = Injection(world, fault, victim, permanent=True, corpus=corpus)
            run = naive(workflow, injection.call)
            hit += bool(injection.hits)
            shown = [Shown(struck.true, struck.seen) for struck in injection.hits]
            failed += bool(shown) and not score(workflow, world, run, shown).completed
    assert hit > 100
    # A field that nobody asked for, and nothing was done with, may hold what it likes.
    assert failed > hit / 4


@pytest.mark.parametrize("permanent", [False, True])
def test_following_receipts_gets_round_a_fault_where_there_is_a_way(made, corpus, permanent):
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


def test_the_same_probability_and_seed_heed_the_same_receipts(made):
    workflow = made[3]

    def everything_is_suspect(tool: str, arguments: Mapping[str, Any]) -> Any:
        receipt = {"admissible_recovery_tools": [tool]}
        return {"tool_result": world.call(tool, arguments), "outcome_contract": receipt}

    runs = []
    for seed in (1, 1, 2, 3, 4):
        world = World()
        runs.append(follows_receipts(0.5, seed)(workflow, everything_is_suspect))
    assert runs[0] == runs[1]
    assert len({run.heeded for run in runs}) > 1
    assert all(run.script.startswith("scripted") for run in runs)


def test_receipts_without_a_list_or_on_a_clean_result_do_no_harm_to_reads(made):
    assert made
    for workflow in made[:40]:
        world = World(workflow.seed)

        def call(tool: str, arguments: Mapping[str, Any], world=world) -> Any:
            result = world.call(tool, arguments)
            if not TOOLS[tool].read_only:
                return result
            return {"tool_result": result, "outcome_contract": {"status": "inconsistent"}}

        assert score(workflow, world, follows_receipts()(workflow, call)).completed


def test_the_evaluator_is_out_of_reach_of_all_that_acts_or_monitors():
    modules = ("world", "world.agents", "world.toolmaze", "world.toolmaze_export")
    program = "; ".join(f"import outcome_monitors_study.{name}" for name in modules)
    program += "; import sys; print('outcome_monitors_study.world.scoring' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
