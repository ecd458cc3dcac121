"""The laws that every rule kind keeps."""

import copy
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry
from outcome_monitors.checking.compiled import compile_contract
from outcome_monitors.mining.observations import PROFILES, Observations
from outcome_monitors.rules import KINDS, evaluate, explain
from tests.strategies import arguments, calls, results

profiles = pytest.mark.parametrize("profile", sorted(PROFILES))


def _observed(profile, some):
    observations = Observations(profile)
    for call in some:
        observations.add(call)
    return observations


@profiles
@given(
    parts=st.lists(st.lists(calls, max_size=6), min_size=1, max_size=4),
    order=st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
def test_observing_apart_and_merging_is_observing_together(profile, parts, order):
    # Calls of one session belong together and in order: see the law of sessions below.
    parts = [[replace(call, session=None) for call in part] for part in parts]
    together = [call for part in parts for call in part]
    order.shuffle(together)
    order.shuffle(parts)
    merged = Observations(profile)
    for part in parts:
        merged.merge(_observed(profile, part))
    whole = _observed(profile, together)
    assert merged.contracts().registry.dumps() == whole.contracts().registry.dumps()
    assert list(merged.candidates()) == list(whole.candidates())


@given(some=st.lists(calls, max_size=24), order=st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_sessions_that_are_kept_whole_may_be_observed_apart(some, order):
    some = [replace(call, session=call.session or "s3") for call in some]
    parts = [[call for call in some if call.session == session] for session in ("s1", "s2", "s3")]
    order.shuffle(parts)
    merged = Observations("full")
    for part in parts:
        merged.merge(_observed("full", part))
    assert list(merged.candidates()) == list(_observed("full", some).candidates())


@profiles
@given(some=st.lists(calls, max_size=8), more=st.lists(calls, max_size=8))
@settings(max_examples=40, deadline=None)
def test_merging_leaves_the_other_as_it_was(profile, some, more):
    one, other = _observed(profile, some), _observed(profile, more)
    before = list(other.candidates())
    one.merge(other)
    one.merge(other)
    assert list(other.candidates()) == before


@profiles
@given(some=st.lists(calls, max_size=8))
@settings(max_examples=40, deadline=None)
def test_what_is_mined_survives_a_file_and_has_words(profile, some):
    registry = _observed(profile, some).contracts().registry
    assert Registry.loads(registry.dumps()).dumps() == registry.dumps()
    for contract in registry.contracts.values():
        for clause in contract.clauses:
            assert explain(clause)
            KINDS[clause.kind].validate(clause.params, "here")


@given(some=st.lists(calls, max_size=8))
@settings(max_examples=60, deadline=None)
def test_in_profile_paper_every_clause_holds_on_every_sample(some):
    monitor = Monitor(_observed("paper", some).contracts().registry)
    for call in some:
        assert monitor.check(call.tool, call.arguments, call.result) == ()
    assert monitor.counts.failed == 0


@profiles
@given(some=st.lists(calls, min_size=1, max_size=8), asked=arguments, result=results)
@settings(max_examples=150, deadline=None)
def test_the_generated_form_never_says_yes_where_the_plain_one_finds_something(profile, some, asked, result):
    contracts = _observed(profile, some).contracts().registry.contracts
    broken = {tool: list(evaluate(contract.clauses, asked, result)) for tool, contract in contracts.items()}
    sure = {tool for tool, contract in contracts.items() if _surely(contract, asked, result)}
    assert not [tool for tool in sure if broken[tool]]


@profiles
@given(some=st.lists(calls, min_size=1, max_size=8), asked=arguments, result=results)
@settings(max_examples=100, deadline=None)
def test_checking_changes_nothing_and_tells_the_same_twice(profile, some, asked, result):
    monitor = Monitor(_observed(profile, some).contracts().registry)
    before = copy.deepcopy((asked, result))
    first = monitor.check("get_order", asked, result)
    assert first == monitor.check("get_order", asked, result)
    assert repr((asked, result)) == repr(before)
    json.dumps([violation.to_json() for violation in first], allow_nan=False)


def _surely(contract, asked, result):
    try:
        return compile_contract(contract)(asked, result)
    except Exception:  # noqa: BLE001 - any exception sends the result to the plain evaluator
        return False


def test_two_type_clauses_of_one_path_are_both_tested():
    def clause(kinds, source):
        return Clause("type", "a", {"kinds": kinds}, 1, 1, source)

    required = Clause("required", "a", {}, 1, 1, "traces")
    contract = Contract("t", (clause(["integer"], "traces"), clause(["string"], "schema:x.json"), required))
    assert not _surely(contract, {}, {"a": 1})


def test_a_listed_text_of_another_type_in_a_schema_is_tested():
    clauses = (
        Clause("type", "a", {"kinds": ["string"]}, 1, 1, "traces"),
        Clause("type", "a", {"kinds": ["integer"]}, 1, 1, "schema:x.json"),
        Clause("required", "a", {}, 1, 1, "traces"),
        Clause("domain", "a", {"values": ["x"]}, 1, 1, "traces"),
    )
    assert not _surely(Contract("t", clauses), {}, {"a": "x"})
