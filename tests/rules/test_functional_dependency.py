"""`functional_dependency`: what an identity is known to come with."""

import random

import pytest

from outcome_monitors.features.aggregates import digest
from tests.rules.relations import Row, clause, flags, params

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


def test_the_id_of_an_owner_says_nothing_of_what_it_owns():
    rows: list[Row] = [
        ({"n": n}, {"name": f"repo {i}", "owner": {"id": f"o{i}", "login": f"user {i}"}})
        for n in range(2)
        for i in range(12)
    ]
    found = {(known["key"], known["field"]) for known in params("functional_dependency", rows)}
    assert (".owner.id", ".owner.login") in found
    assert (".owner.id", ".name") not in found


def test_a_record_with_a_clock_in_it_tells_of_a_moment():
    def read(n, *, again):
        at = f"2026-03-01T{n // 12:02}:{5 * (n % 12):02}:{again:02}Z"
        return {"q": f"q{n % 12}"}, {"room": f"r{n % 12}", "open": n % 12 < 6, "at": at}

    running: list[Row] = [read(n, again=n // 12) for n in range(60)]
    standing: list[Row] = [read(n, again=0) for _ in range(5) for n in range(12)]
    assert params("functional_dependency", running) == []
    assert params("functional_dependency", standing) != []


WHERE = clause("functional_dependency", key=".city", field=".country", facts=CITIES)


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


def test_a_long_list_is_known_by_its_hash_and_shown_without_it():
    hits = clause("functional_dependency", key="@q", field="=hits", facts={"a": digest([1, 2])})
    assert flags(hits, {"hits": [1, 2]}, {"q": "a"}) == []
    (broken,) = flags(hits, {"hits": [1, 3]}, {"q": "a"})
    assert (broken.path, broken.expected, broken.observed) == (
        "hits",
        "the hits known for the argument q 'a'",
        "a list of 2",
    )
