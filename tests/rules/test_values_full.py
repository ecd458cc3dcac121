"""What `type`, `required`, `closed_fields`, `positive`, `domain` and `error` suggest in profile `full`, and on what they fire."""

import pytest

from outcome_monitors import Call, Contract, Monitor, Registry, mine
from outcome_monitors.rules import KINDS, explain
from outcome_monitors.rules.config import CONFIG
from outcome_monitors.rules.error import ERROR_FIELDS
from tests.rules.values import MANY, candidates, evidence, flags, of, only, task

FEW = max(CONFIG.min_tasks, CONFIG.min_tasks)


# type


def test_types_are_those_that_more_than_one_task_brought():
    found = only("type", of(*[1, None] * MANY))
    assert found.clause.params == {"kinds": ["integer", "null"]}
    assert found.fired == {}
    assert flags(found.clause, {"x": "1"}) == [
        ("learned_type_mismatch", "x", ["integer", "null"], "string", "field x has unexpected type")
    ]
    assert flags(found.clause, {"x": 3.0}) == []


def test_a_type_that_one_task_in_many_brought_is_dirt():
    found = only("type", of(*[1] * MANY, "1"))
    assert found.clause.params == {"kinds": ["integer"]}
    assert found.fired == {task(MANY): 1}


# required


def required(*results):
    """Return the fields that are suggested to be required."""
    return [each.clause.path for each in KINDS["required"].suggest(evidence(*results)) if not each.refused]


def test_a_field_may_have_been_absent_from_few_clean_results():
    absent = int(CONFIG.required_absent * 10 * MANY)
    assert absent >= 1
    found = only("required", evidence(*[{"x": 1}] * 10 * MANY, *[{}] * absent))
    assert sum(found.fired.values()) == absent
    assert required(*[{"x": 1}] * 10 * MANY, *[{}] * (absent + 1)) == []


def test_a_row_without_the_field_counts_against_its_call():
    whole, part = {"rows": [{"x": 1}, {"x": 2}]}, {"rows": [{"x": 1}, {}]}
    assert required(*[whole] * MANY) == ["rows", "rows[].x"]
    assert required(*[whole, part] * MANY) == ["rows"]
    found = only("required", evidence(*[whole] * MANY), "rows[].x")
    assert flags(found.clause, part)[0][1] == "rows[1].x"


def test_keys_that_are_data_are_not_required():
    assert required(*({"users": {f"user_{number:06}": {"age": 1}}} for number in range(MANY))) == [
        "users",
        "users.*.age",
    ]


# known


def test_the_fields_that_more_than_one_task_brought_are_known():
    found = only("closed_fields", evidence(*[{"a": 1}, {"a": 1, "b": 2}] * MANY), "")
    assert found.clause.params == {"fields": ["a", "b"]}
    assert (found.fired, found.values) == ({}, 2)
    assert flags(found.clause, {"a": 1, "c": 1}) == [
        ("unexpected_field", "c", "absent", "present", "field absent from nominal traces: c")
    ]
    assert explain(found.clause) == "(the result) has no fields but a, b"


def test_what_repeats_an_argument_is_null_where_that_was_left_out():
    calls = [
        Call(
            "add_event",
            {"title": f"t{n}", "place": f"p{n}"},
            {"id": n, "title": f"t{n}", "place": f"p{n}"},
            task=f"task {n}",
        )
        for n in range(6)
    ]
    kept = {c.path: c for c in mine(calls, "full").contracts["add_event"].clauses if c.kind == "type"}
    assert kept["place"].params == {"kinds": ["string"], "asked": "place"}
    assert kept["id"].params == {"kinds": ["integer"]}
    assert explain(kept["place"]) == "place is string, or null without the argument place"
    monitor = Monitor(Registry({"add_event": Contract("add_event", (kept["place"],))}))
    assert monitor.check("add_event", {"title": "a"}, {"place": None}) == ()
    assert monitor.check("add_event", {"title": "a", "place": None}, {"place": None}) == ()
    for asked, found in (({"place": "b"}, None), ({}, 5)):
        assert [v.code for v in monitor.check("add_event", asked, {"place": found})] == [
            "learned_type_mismatch"
        ]


# positive


@pytest.mark.parametrize(
    "values", [[*range(1, MANY), 0, 0], [1] * FEW + [0], [1] * (CONFIG.min_tasks - 1), ["1"] * MANY]
)
def test_what_suggests_no_positive_numbers(values):
    assert candidates("positive", of(*values)) == []


@pytest.mark.parametrize("name", ["total_count", "stock", "size", "refund_amount"])
def test_what_counts_may_be_zero(name):
    calls = [Call("get", {}, {name: 3 + n, "price": 3 + n}, task=f"task {n}") for n in range(MANY)]
    kept = {c.path: c for c in mine(calls, "full").contracts["get"].clauses if c.kind == "positive"}
    assert (kept[name].params, kept["price"].params) == ({"zero": True}, {})
    monitor = Monitor(Registry({"get": Contract("get", tuple(kept.values()))}))
    assert monitor.check("get", {}, {name: 0, "price": 5}) == ()
    assert [v.expected for v in monitor.check("get", {}, {name: -1, "price": 0})] == [">= 0", "> 0"]
    assert explain(kept[name]) == f"{name} is not below zero"


# domain


STATES = [("Open", "sent ", "lost")[number % 3] for number in range(MANY)]


def test_values_that_are_few_for_their_tasks_are_a_domain_whatever_the_name():
    found = only("domain", of(*STATES))
    assert found.clause.params == {"values": ["lost", "Open", "sent"]}
    assert (found.fired, found.values) == ({}, 3)
    assert flags(found.clause, {"x": "gone"}) == [
        ("unseen_category", "x", ["lost", "Open", "sent"], "gone", "field x has unseen categorical value")
    ]
    assert flags(found.clause, {"x": " OPEN"}) == []


@pytest.mark.parametrize(
    "values",
    [
        [f"name {number}" for number in range(MANY)],
        [f"name {number % (MANY // CONFIG.domain_tasks_per_value + 1)}" for number in range(MANY)],
        [
            f"name {number % (CONFIG.domain_listed + 1)}"
            for number in range(CONFIG.domain_tasks_per_value * (CONFIG.domain_listed + 1))
        ],
        ["a" * (CONFIG.domain_length + 1)] * MANY,
        [*range(MANY)],
    ],
)
def test_what_is_no_domain(values):
    assert candidates("domain", of(*values)) == []


# error


@pytest.mark.parametrize("name", ["error", "Error", "ERROR", "eRRor"])
@pytest.mark.parametrize("value", ["none so far", 3, ["a"], {"code": 1}, True])
def test_a_name_that_carried_something_is_data(name, value):
    found = only("error", evidence(*[{"id": 1}] * MANY, {"id": 1, name: value}), "")
    assert found.clause.params["fields"] == [field for field in ERROR_FIELDS if field != "error"]
