"""What a violation expects and observes are values that a reader can use: no hash, and of what is long the place that differs."""

import json
import re

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry
from outcome_monitors.features.aggregates import digest
from outcome_monitors.features.feature import normal_form
from outcome_monitors.jsonvalue.display import LONGEST
from outcome_monitors.mining.observations import Observations
from outcome_monitors.rules import KINDS, evaluate
from tests.strategies import arguments, calls, results

HASH = re.compile(r"[0-9a-f]{12,16}")
LONG = "the quick brown fox jumps over the lazy dog; " * 6


def clause(kind, path="", **params):
    KINDS[kind].validate(params, "here")
    return Clause(kind, path, params, 90, 30, "traces")


def found(one, result, asked=None):
    """Return expected and observed, by the clause itself and as a monitor tells it."""
    asked = asked or {}
    [(_, plain)] = evaluate([one], asked, result)
    [told] = Monitor(Registry({"t": Contract("t", (one,))}, profile="full")).check("t", asked, result)
    return [(plain.expected, plain.observed), (told.expected, told.observed)]


def hashes(shown, data):
    """Return what looks like a hash in what is shown, and does not stand in the data."""
    text = json.dumps(shown, ensure_ascii=False)
    marks = [mark for mark in ("another content", "\\u0000") if mark in text and mark not in data]
    return [*marks, *(found for found in HASH.findall(text) if found not in data)]


@given(some=st.lists(calls, min_size=2, max_size=8), asked=arguments, result=results)
@settings(max_examples=30, deadline=None)
def test_no_violation_of_any_kind_shows_a_hash(some, asked, result):
    observations = Observations("full")
    for call in some:
        observations.add(call)
    registry = observations.contracts().registry
    data = json.dumps([[[call.arguments, call.result] for call in some], asked, result], default=str)
    session = Monitor(registry).session()
    questions = [*((call.arguments, call.result) for call in some), (asked, result)]
    violations = [
        found
        for tool in registry.contracts
        for question in questions
        for found in session.check(tool, *question)
    ]
    assert [found for found in violations if hashes([found.expected, found.observed], data)] == []


@pytest.mark.parametrize(
    ("one", "result", "asked"),
    [
        (
            clause("functional_dependency", key=".id", field=".text", facts={"a": normal_form(LONG)}),
            {"id": "a", "text": LONG + "!"},
            {},
        ),
        (
            clause("functional_dependency", key="@", field="=rows", facts={digest({"q": 1}): digest([1])}),
            {"rows": [2]},
            {"q": 1},
        ),
        (clause("argument", argument="@=ids", field="=ids", agree="same"), {"ids": [1, 2]}, {"ids": [1, 3]}),
        (
            clause("argument", argument="@text", field=".text", agree="equal"),
            {"text": LONG},
            {"text": LONG + "!"},
        ),
    ],
)
def test_what_is_known_by_its_hash_is_told_without_it(one, result, asked):
    plain, told = found(one, result, asked)
    assert hashes([plain, told], "") == []
    assert max(len(str(value)) for value in (*plain, *told)) <= LONGEST


@pytest.mark.parametrize(
    ("one", "result", "asked"),
    [
        (
            clause("fields_equal", first=".a", second=".b"),
            {"a": LONG + "X" + LONG, "b": LONG + "Y" + LONG},
            {},
        ),
        (
            clause("argument", argument="@q", field=".a", agree="equal"),
            {"a": LONG + "X" + LONG},
            {"q": LONG + "Y" + LONG},
        ),
        (
            clause("template", field=".a", templates=[[LONG, "@q", LONG]]),
            {"a": LONG + "XX" + LONG},
            {"q": "YY"},
        ),
    ],
)
def test_long_texts_are_cut_around_the_place_where_they_differ(one, result, asked):
    plain, told = found(one, result, asked)
    assert {"X", "Y"} <= {*str(plain)}
    assert {"X", "Y"} <= {*str(told)}


def test_the_item_of_a_list_that_is_not_as_asked_for_is_named():
    equal = clause("argument", argument="@=ids", field="=ids", agree="equal")
    same = clause("argument", argument="@=ids", field="=ids", agree="same")
    ids = list("abcdefghijklmnop")
    assert found(equal, {"ids": ids[:-1]}, {"ids": ids})[0] == ("item 16 is 'p'", "item 16 is missing")
    assert found(equal, {"ids": [*ids[:2], "x", *ids[3:]]}, {"ids": ids})[0] == (
        "item 3 is 'c'",
        "item 3 is 'x'",
    )
    assert found(same, {"ids": ids[::-1][1:]}, {"ids": ids})[0] == ("p", "missing")
    assert found(same, {"ids": [*ids[1:], "x"]}, {"ids": ids})[0] == ("a", "missing, with 'x' in its place")
    assert found(same, {"ids": [*ids, "x"]}, {"ids": ids})[0] == ("no more than was asked for", "x")
