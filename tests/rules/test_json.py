"""`json`, and all that is said of what stands in a text of a result; a result that is JSON as a whole is read (`checking/test_forms`)."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Call, Clause, Contract, Monitor, Registry, mine
from outcome_monitors.checking.compiled import compile_contract
from outcome_monitors.exceptions import ContractError
from outcome_monitors.jsonvalue.paths import parse, render
from outcome_monitors.jsonvalue.text import LONGEST
from outcome_monitors.mining.observations import Observations
from outcome_monitors.rules import evaluate
from tests.strategies import arguments, calls, results

FORMS = {
    "content": lambda text: {"content": text},
    "[].body": lambda text: [{"sort": "json", "body": text}],
    "content[].text": lambda text: {"content": [{"type": "text", "text": text}]},
}
forms = pytest.mark.parametrize("form", FORMS)


def order(n, **changes):
    prices = [1.5 * k + n for k in range(1, 4)]
    rows = [{"sku": f"S{n}{k}", "price": price} for k, price in enumerate(prices)]
    found = {"order_id": f"W{n:04}", "status": ("sent", "held")[n % 2], "items": rows, "total": sum(prices)}
    return {**found, **changes}


def traces(wrap, tasks=60):
    return [
        Call("get_order", {"order_id": f"W{n:04}"}, wrap(json.dumps(order(n))), task=f"t{n}", session=f"s{n}")
        for n in range(tasks)
    ]


def checked(registry, result):
    monitor = Monitor(Registry.loads(registry.dumps()), built_in=False)
    found = monitor.check("get_order", {"order_id": "W0007"}, result)
    assert monitor.counts.failed == 0
    return [violation.code for violation in found]


@pytest.fixture(scope="module")
def mined():
    return {form: mine(traces(wrap), "full") for form, wrap in FORMS.items()}


@forms
def test_what_is_wrong_inside_is_found_as_in_an_object(form, mined):
    def codes(**changes):
        return set(checked(mined[form], FORMS[form](json.dumps(order(7, **changes)))))

    assert codes() == set()
    assert "unseen_category" in codes(status="lost")
    assert "arithmetic_broken" in codes(total=31.0)
    assert "learned_echo_mismatch" in codes(order_id="W0009")
    assert "unexpected_field" in codes(debug=1)
    assert "explicit_error" in codes(error="boom")
    assert "learned_type_mismatch" in codes(items="none")
    assert "missing_learned_field" in set(
        checked(mined[form], FORMS[form](json.dumps({**order(7), "items": [{"sku": "S1"}]})))
    )


@forms
@pytest.mark.parametrize("text", [json.dumps(order(7))[:40], "Order W0007 was sent.", "", '"{}"'])
def test_what_is_no_json_breaks_one_clause(form, mined, text):
    assert checked(mined[form], FORMS[form](text)) == ["not_json"]


def said_of(results):
    some = [Call("t", {"n": n}, {"body": result}, task=f"t{n}") for n, result in enumerate(results)]
    return [c.params["texts"] for c in mine(some, "full").contracts["t"].clauses if c.kind == "json"]


def test_three_tasks_must_have_shown_it():
    assert said_of(['{"n": 1}'] * 2) == []
    assert said_of(['{"n": 1}'] * 3) == ["all"]


def test_prose_beside_json_leaves_the_weaker_grade():
    clean = [json.dumps({"n": n}) if n % 4 else "There is none." for n in range(40)]
    assert said_of(clean) == ["begun"]
    assert said_of([*clean[:-1], "[1] see there"]) == []


def test_a_text_too_long_to_be_read_is_not_flagged():
    clause = Clause("json", "", {"texts": "all"}, 9, 9, "traces")
    assert list(evaluate([clause], {}, "[" + " " * LONGEST)) == []
    assert len(list(evaluate([clause], {}, "[ "))) == 1


@pytest.mark.parametrize(
    ("path", "texts", "says"),
    [
        ("[json].a[json].b[json]", "all", "too many steps"),
        ("a[json][0]", "all", "has an index"),
        ("a[jso]", "all", "is not a path"),
        ("a", "some", "'texts' of kind 'json' cannot be 'some'"),
    ],
)
def test_files_that_make_no_sense_are_refused(path, texts, says):
    clause = Clause("json", path, {"texts": texts}, 1, 1, "traces")
    with pytest.raises(ContractError, match=says):
        Registry.loads(Registry({"t": Contract("t", (clause,))}).dumps())


@forms
def test_a_session_remembers_what_stood_in_a_text(form):
    registry = mine([call for call in traces(FORMS[form]) for _ in range(2)], "full")
    place = form + "[json]"
    assert place in {c.path for c in registry.contracts["get_order"].clauses if c.kind == "memory"}
    session = Monitor(registry).session()
    asked = {"order_id": "W0007"}
    assert session.check("get_order", asked, FORMS[form](json.dumps(order(7)))) == ()
    found = session.check("get_order", asked, FORMS[form](json.dumps(order(7, status="sent"))))
    assert "remembered_fact_contradicted" in {violation.code for violation in found}


def _surely(clauses, asked, result):
    try:
        return compile_contract(Contract("t", clauses))(asked, result)
    except Exception:  # noqa: BLE001 - any exception sends the result to the plain evaluator
        return False


def _mined(some):
    observations = Observations("full")
    for call in some:
        observations.add(call)
    return [c for contract in observations.contracts().registry.contracts.values() for c in contract.clauses]


@forms
@given(some=st.lists(calls, min_size=1, max_size=8), asked=arguments, result=results)
@settings(max_examples=30, deadline=None)
def test_a_clause_says_of_json_in_a_text_what_it_says_of_the_object(form, some, asked, result):
    clauses = _mined(some)
    inside = f"{form}[json]"
    moved = tuple(replace(c, path=render([*parse(inside), *parse(c.path)])) for c in clauses)
    # The text as it is read, and no scalar: those are not looked into.
    result = json.loads(json.dumps(result if isinstance(result, (dict, list)) else [result]))
    wrapped = FORMS[form](json.dumps(result))
    at = inside.replace("[]", "[0]")
    expected = [
        (v.code, render([*parse(at), *parse(v.path)]), repr(v.expected), repr(v.observed))
        for _, v in evaluate(clauses, asked, result)
    ]
    found = [(v.code, v.path, repr(v.expected), repr(v.observed)) for _, v in evaluate(moved, asked, wrapped)]
    assert found == expected
    assert not (found and _surely(moved, asked, wrapped))
