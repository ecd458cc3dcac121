"""`functional_dependency`: what an identity is known to come with."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Contract
from outcome_monitors.checking.compiled import compile_contract
from outcome_monitors.features.aggregates import digest
from outcome_monitors.model import Violation
from outcome_monitors.rules import KINDS, evaluate, explain
from outcome_monitors.rules.functional_dependency import LEAST_KEYS, MOST_PAIRS, ONE_ODD_IN
from tests.rules.relations import Row, by_chance, calls, clause, evidence, flags, params, suggested

CITIES = {
    "Oslo": "Norway",
    "Rome": "Italy",
    "Turin": "Italy",
    "Lyon": "France",
    "Nice": "France",
    "Bergen": "Norway",
}
VISITS: list[Row] = [
    ({"q": str(i)}, {"city": city, "country": CITIES[city]}) for i in range(10) for city in CITIES
]


def test_what_was_shown_by_more_than_one_task_is_kept():
    assert params("functional_dependency", VISITS) == [{"key": ".city", "field": ".country", "facts": CITIES}]


def test_an_identity_that_one_task_alone_showed_is_not_kept():
    (known,) = params("functional_dependency", [*VISITS, ({}, {"city": "Bonn", "country": "Germany"})])
    assert "Bonn" not in known["facts"]


def test_the_same_question_has_the_same_answer():
    names = {f"q{i}": f"name {i}" for i in range(12)}
    rows: list[Row] = [
        ({"query": q, "page": 1}, {"name": name}) for _ in range(3) for q, name in names.items()
    ]
    known = {found["key"]: found["facts"] for found in params("functional_dependency", rows)}
    assert known["@query"] == names
    assert known["@"] == {digest({"query": q, "page": 1}): name for q, name in names.items()}


@pytest.mark.parametrize(
    "state",
    [
        {"hits": [3, 5, 8]},
        {"status": "open"},
        {"unread_count": 5},
        {"at": "2026-03-01T10:00:00Z"},
        {"day_of_week": "Friday"},
        {"address": {"state": "open"}},
    ],
)
def test_how_a_thing_stands_is_no_fact(state):
    source = random.Random(1)
    (field,) = state

    def other(n):
        return {
            "hits": [source.randrange(99) for _ in range(n % 4)],
            "status": f"step {n % 5}",
            "unread_count": n,
            "at": f"2026-03-{n + 1:02}T10:00:00Z",
            "day_of_week": ("Monday", "Friday", "Sunday")[n % 3],
            "address": {"state": f"step {n % 4}"},
        }[field]

    answers = {f"q{i}": other(i) for i in range(12)}
    rows: list[Row] = [({"q": q}, {"id": q, field: found}) for _ in range(3) for q, found in answers.items()]
    assert [found for found in params("functional_dependency", rows) if field in found["field"]] == []


def test_the_state_that_a_city_is_in_stays():
    states = {f"city {n}": ("TX", "MA", "NV")[n % 3] for n in range(12)}
    rows: list[Row] = [
        ({}, {"at": {"city": city, "state": states[city]}}) for _ in range(2) for city in states
    ]
    assert {"key": ".at.city", "field": ".at.state", "facts": states} in params("functional_dependency", rows)


def test_the_id_of_an_owner_says_nothing_of_what_it_owns():
    rows: list[Row] = [
        ({"n": n}, {"name": f"repo {i}", "owner": {"id": f"o{i}", "login": f"user {i}"}})
        for n in range(2)
        for i in range(12)
    ]
    found = {(known["key"], known["field"]) for known in params("functional_dependency", rows)}
    assert (".owner.id", ".owner.login") in found
    assert (".owner.id", ".name") not in found


def test_what_changed_within_a_task_is_no_fact():
    rows = calls(
        [({"q": f"q{i}"}, {"id": f"q{i}", "mood": f"m{i % 5}"}) for _ in range(3) for i in range(12)]
    )
    changed = [replace(call, result={**call.result, "mood": "other"}, task="task 1") for call in rows[1:4]]
    for calm, some in ((True, rows), (False, [*rows, *changed])):
        found = [c.clause.params["field"] for c in KINDS["functional_dependency"].suggest(evidence(some))]
        assert (".mood" in found) is calm


def test_a_record_with_a_clock_in_it_tells_of_a_moment():
    def read(n, *, again):
        at = f"2026-03-01T{n // 12:02}:{5 * (n % 12):02}:{again:02}Z"
        return {"q": f"q{n % 12}"}, {"room": f"r{n % 12}", "open": n % 12 < 6, "at": at}

    running: list[Row] = [read(n, again=n // 12) for n in range(60)]
    standing: list[Row] = [read(n, again=0) for _ in range(5) for n in range(12)]
    assert params("functional_dependency", running) == []
    assert params("functional_dependency", standing) != []


def test_how_many_rows_there_are_is_a_fact_only_of_a_limit_that_was_asked_for_often():
    def rows(times, *, limit):
        return [
            ({limit: n}, [{"n": i} for i in range(min(n, 5))])
            for _ in range(times)
            for n in (1, 3, 5, 10, 20)
        ]

    assert [found["field"] for found in params("functional_dependency", rows(9, limit="limit"))] == ["#"]
    assert params("functional_dependency", rows(2, limit="limit")) == []
    wide: list[Row] = [
        ({"below": n}, [{"n": i} for i in range(n // 7)]) for _ in range(9) for n in (9, 20, 30, 50)
    ]
    assert params("functional_dependency", wide) == []


def test_an_argument_decides_the_answer_as_a_whole_not_its_rows():
    rows: list[Row] = [({"q": row["city"], "n": i}, {"rows": [row]}) for i, (_, row) in enumerate(VISITS)]
    assert {found["key"] for found in params("functional_dependency", rows, "rows[]")} == {".city"}


WHERE = clause("functional_dependency", key=".city", field=".country", facts=CITIES)


def test_a_contradiction_is_flagged_with_what_is_known():
    assert flags(WHERE, {"city": "Oslo", "country": "Norway"}) == []
    assert flags(WHERE, {"city": "Oslo", "country": "Italy"}) == [
        Violation(
            "known_fact_contradicted",
            "",
            "country 'Norway' for city 'Oslo'",
            "city 'Oslo', country 'Italy'",
            "city and country do not agree",
        )
    ]
    assert explain(WHERE) == f"city decides country ({len(CITIES)} known)"


@pytest.mark.parametrize(
    "result",
    [
        {"city": "Bonn", "country": "Italy"},
        {"city": None, "country": "Italy"},
        {"city": ["Oslo"], "country": "Italy"},
        {"city": "Oslo"},
        {"city": "Oslo", "country": {"name": "Italy"}},
        {"city": "Oslo", "country": ["Italy"]},
    ],
)
def test_of_what_is_not_known_nothing_is_said(result):
    assert flags(WHERE, result) == []


@pytest.mark.parametrize("identity", [7, 7.0, "7", 10**18, 10**30])
def test_a_whole_number_is_an_identity(identity):
    facts = {"7": "a", str(10**18): "a", str(10**30): "a"}
    known = clause("functional_dependency", key=".id", field=".name", facts=facts)
    assert flags(known, {"id": identity, "name": "a"}) == []
    assert flags(known, {"id": identity, "name": "b"}) != []


@pytest.mark.parametrize("identity", [True, False, None, 1.5, float("nan"), [1]])
def test_what_is_neither_a_text_nor_a_whole_number_names_nothing(identity):
    facts = {"True": "a", "False": "a", "None": "a", "1.5": "a", "nan": "a", "[1]": "a", "1": "a"}
    assert (
        flags(
            clause("functional_dependency", key=".id", field=".name", facts=facts),
            {"id": identity, "name": "b"},
        )
        == []
    )


def test_a_long_list_is_known_by_its_hash_and_shown_without_it():
    hits = clause("functional_dependency", key="@q", field="=hits", facts={"a": digest([1, 2])})
    assert flags(hits, {"hits": [1, 2]}, {"q": "a"}) == []
    (broken,) = flags(hits, {"hits": [1, 3]}, {"q": "a"})
    assert (broken.path, broken.expected, broken.observed) == (
        "hits",
        "what is known for the argument q 'a'",
        "a list of 2",
    )


def test_a_long_text_is_compared_by_its_hash():
    texts = {f"k{i}": str(i) * 300 for i in range(9)}
    rows: list[Row] = [({"n": n}, {"id": key, "text": text}) for n in range(2) for key, text in texts.items()]
    (known,) = [c for c in suggested("functional_dependency", rows) if c.clause.params["field"] == ".text"]
    assert flags(known.clause, {"id": "k3", "text": texts["k3"]}) == []
    assert flags(known.clause, {"id": "k3", "text": texts["k4"]}) != []


def test_one_odd_task_is_not_learned():
    cities = {f"city {i}": f"country {i % 5}" for i in range(ONE_ODD_IN + 10)}
    rows: list[Row] = [({"q": i}, {"city": c, "country": cities[c]}) for i in range(4) for c in cities]
    (candidate,) = suggested(
        "functional_dependency", [*rows, ({}, {"city": "city 3", "country": "country 4"})]
    )
    assert "city 3" not in candidate.clause.params["facts"]
    assert len(candidate.clause.params["facts"]) == len(cities) - 1
    assert sum(candidate.fired.values()) == 1


def test_few_keys_and_one_value_show_nothing():
    few = dict(list(CITIES.items())[: LEAST_KEYS - 1])
    assert params("functional_dependency", [row for row in VISITS if row[1]["city"] in few]) == []
    assert params("functional_dependency", [({}, {**row, "country": "Italy"}) for _, row in VISITS]) == []


def test_the_number_of_facts_is_bounded():
    many = [(f"k{i}", i % 90) for i in range(MOST_PAIRS // 2 + 90)]
    rows: list[Row] = [({"n": n}, [{"key": key, "value": value} for key, value in many]) for n in range(2)]
    (candidate,) = [
        c for c in suggested("functional_dependency", rows) if c.clause.params["field"] == ".value"
    ]
    assert len(candidate.clause.params["facts"]) == min(len(many), MOST_PAIRS)


def test_columns_that_have_nothing_to_do_with_each_other_give_nothing():
    def make(source):
        return {"q": source.choice("abcdefgh")}, {
            "city": source.choice(list(CITIES)),
            "colour": source.choice(["red", "blue", "green"]),
            "n": source.randrange(6),
            "open": source.random() < 0.5,
        }

    assert by_chance(make, "functional_dependency") == []


def told(*facts):
    """Return a contract of facts: key, field, and what is known."""
    named = ({"key": key, "field": field, "facts": known} for key, field, known in facts)
    return Contract("t", tuple(clause("functional_dependency", **params) for params in named))


PLACES = (
    (".id", ".zip", {"W1": "0150", "7": "75001"}),
    (".id", ".city", {"W1": "Oslo", "7": "Paris"}),
    (".zip", ".city", {"0150": "Oslo", "75001": "Paris", "75002": "Paris"}),
    (".city", ".land", {"Oslo": "Norway"}),
)


@pytest.mark.parametrize(
    ("record", "sure"),
    [
        ({"id": "W1", "zip": "0150", "city": "Oslo"}, True),
        ({"id": 7, "zip": "75001", "city": "Paris"}, True),
        ({"id": "new", "zip": "75002", "city": "Paris"}, True),
        ({"id": "new", "zip": "new", "city": "new"}, True),
        ({"id": "W1", "zip": "0150", "city": "Paris"}, False),
        ({"id": "W1", "zip": "75001", "city": "Paris"}, False),
        ({"id": "new", "zip": "75002", "city": "Oslo"}, False),
        ({"id": "W1", "zip": "0150", "city": "Oslo", "land": "France"}, False),
    ],
)
def test_facts_that_follow_from_each_other_are_looked_up_together(record, sure):
    contract = told(*PLACES)
    assert compile_contract(contract)({}, record) is sure
    assert (not [*evaluate(contract.clauses, {}, record)]) is sure
    rows = Contract("t", tuple(replace(one, path="[]") for one in contract.clauses))
    full = {"land": "Norway" if record["city"] == "Oslo" else "", **record}
    assert (
        compile_contract(rows)({}, [full, {"id": "W1", "zip": "0150", "city": "Oslo", "land": "Norway"}])
        is sure
    )


some = st.sampled_from(["a", "b", "1", 1, 1.0, True, None, "x" * 300])
known = st.dictionaries(
    st.sampled_from(["a", "b", "1"]), st.sampled_from(["a", "b", 1, True, None]), min_size=1
)
several = st.lists(
    st.tuples(
        st.sampled_from([".p", ".q", ".r", "@p", "@"]), st.sampled_from([".p", ".q", ".r", "=r"]), known
    ),
    min_size=1,
    max_size=8,
)
records = st.dictionaries(st.sampled_from("pqr"), some | st.lists(some, max_size=1), max_size=3)


@given(several, st.dictionaries(st.just("p"), some), records | st.lists(records, max_size=3))
@settings(max_examples=300, deadline=None)
def test_looked_up_together_facts_say_what_each_says(facts, asked, result):
    contract = told(*facts)
    assert contract.clauses
    rows = Contract("t", tuple(replace(one, path="[]") for one in contract.clauses))
    for one in (contract, rows):
        try:
            sure = compile_contract(one)(asked, result)
        except (KeyError, TypeError):
            continue
        if sure:
            assert [*evaluate(one.clauses, asked, result)] == []


def test_what_one_argument_decides_is_not_said_again_of_all_together():
    names = {f"q{i}": f"name {i}" for i in range(12)}
    rows: list[Row] = [({"query": q}, {"name": name}) for _ in range(3) for q, name in names.items()]
    by_key = {
        found["key"]: clause("functional_dependency", **found)
        for found in params("functional_dependency", rows)
    }
    assert KINDS["functional_dependency"].mining.follows(by_key["@"], [by_key["@query"]])
    assert not KINDS["functional_dependency"].mining.follows(by_key["@query"], [by_key["@"]])
    other = replace(by_key["@query"], params={**by_key["@query"].params, "field": ".other"})
    fewer = dict([*by_key["@query"].params["facts"].items()][1:])
    assert not KINDS["functional_dependency"].mining.follows(by_key["@"], [other])
    assert not KINDS["functional_dependency"].mining.follows(
        by_key["@"], [replace(other, params={**by_key["@query"].params, "facts": fewer})]
    )
