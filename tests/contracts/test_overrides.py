"""Decisions outlive mining, are applied once and for all, and are read with suspicion."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Registry
from outcome_monitors.contracts.feedback import Feedback
from outcome_monitors.contracts.overrides import DECISIONS, dumps, loads
from outcome_monitors.exceptions import ContractError
from outcome_monitors.lifecycle import Override, Overrides, identify
from outcome_monitors.model import Contract
from tests.lifecycle.orders import contracts

REGISTRY = contracts(30)
CLAUSES = REGISTRY.contracts["get_order"].clauses


def named(kind: str, path: str) -> Override:
    [clause] = [clause for clause in CLAUSES if (clause.kind, clause.path) == (kind, path)]
    return Override.of("get_order", clause)


@st.composite
def overrides(draw: st.DrawFn) -> Overrides:
    found = Overrides()
    for clause in draw(st.lists(st.sampled_from(CLAUSES))):
        decision = draw(st.sampled_from(["", *DECISIONS]))
        found = found.decided(Override.of("get_order", clause, decision, draw(st.text(max_size=20))))
    return found


@settings(max_examples=40)
@given(overrides())
def test_applied_twice_is_applied_once(decided):
    once = decided.apply(REGISTRY)
    assert decided.apply(once) == once


@settings(max_examples=40)
@given(overrides())
def test_a_file_gives_back_what_was_written(decided):
    text = dumps(decided)
    assert loads(text) == decided
    assert dumps(loads(text)) == text


@settings(max_examples=40)
@given(overrides())
def test_what_is_pinned_is_there_and_what_is_muted_is_not(decided):
    for registry in (REGISTRY, Registry()):
        after = decided.apply(registry).contracts.get("get_order", Contract("get_order", ()))
        there = {identify("get_order", clause) for clause in after.clauses}
        assert decided.named("pin") <= there
        assert decided.named("mute").isdisjoint(there)


def test_what_was_learned_is_not_in_the_file_unless_it_is_pinned():
    [clause] = [clause for clause in CLAUSES if clause.kind == "domain"]
    for decision in ("accept", "mute", ""):
        assert "delivered" not in dumps(Overrides().decided(Override.of("get_order", clause, decision)))
    assert "delivered" in dumps(Overrides().decided(Override.of("get_order", clause, "pin")))


def test_a_golden_file(golden):
    decided = (
        Overrides()
        .decided(replace(named("domain", "status"), decision="mute", note="new ones come every month"))
        .decided(Override.of("get_order", CLAUSES[-1], "pin"))
        .decided(Override.of("get_order", CLAUSES[0], "accept"))
    )
    golden("overrides.json", dumps(decided))


GOOD = json.loads(dumps(Overrides().decided(Override.of("get_order", CLAUSES[-1], "pin"))))


def changed(**fields: object) -> dict[str, object]:
    return {**GOOD, "clauses": [{**GOOD["clauses"][0], **fields}]}


HOSTILE = {
    "not JSON": ("{", "is not JSON"),
    "a list": ([], "is not an overrides file"),
    "no version": ({**GOOD, "version": None}, "version cannot be None"),
    "twice": ({**GOOD, "clauses": GOOD["clauses"] * 2}, "clause 1 is decided on twice"),
    "decision": (changed(decision="delete"), "decision cannot be 'delete'"),
    "about": (changed(about={"x": 1}), "about must name nothing"),
    "id": (changed(id="0000000000"), "id '0000000000' is that of another clause"),
    "unknown": (changed(run="rm"), "has no field 'run'"),
    "not pinned": (changed(decision="mute"), "a clause that is pinned, and no other"),
    "another pinned": (changed(path="total", id=None), "another clause"),
}


@pytest.mark.parametrize(("content", "why"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_refused_in_one_sentence(content, why):
    with pytest.raises(ContractError, match=".") as refused:
        loads(content if isinstance(content, str) else json.dumps(content), "o.json")
    assert why in str(refused.value)
    assert str(refused.value).startswith("o.json")
    assert "\n" not in str(refused.value)


def test_a_decision_on_a_clause_of_a_retired_kind_is_left_out():
    gone = {"tool": "get_order", "kind": "edges", "path": "id", "about": {}, "decision": "mute", "note": ""}
    assert loads(json.dumps({**GOOD, "clauses": [gone, *GOOD["clauses"]]})) == loads(json.dumps(GOOD))


def test_what_version_2_adds_survives_the_file_and_older_files_stay_as_they_were():
    plain = Overrides().decided(Override("t", "closed_fields", "", {}, "mute"))
    assert '"version": 1' in dumps(plain)
    entry = Override("t", "closed_fields", "", {}, "mute", until="2999-01-01", accepted=("00ff",))
    said = Feedback("wrong", "t", None, "2026-03-01T10:00:00+00:00", ("t./closed_fields#0123456789",), "no")
    full = Overrides().decided(entry).with_feedback(said)
    assert '"version": 2' in dumps(full)
    assert loads(dumps(full)) == full
    assert full.with_feedback(said._replace(verdict="missed")).feedback == (said._replace(verdict="missed"),)
