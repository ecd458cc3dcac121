"""`argument`: what is answered is what was asked for."""

import pytest

from outcome_monitors.model import Violation
from outcome_monitors.rules import explain
from outcome_monitors.rules.config import CONFIG
from tests.rules.relations import Row, clause, flags, params

NAMES = ["Ada Byron", "Grace Hopper", "Mary Shaw", "Radia Perlman", "Karen Jones", "Jean Bartik"]


@pytest.mark.parametrize(
    ("rows", "agree"),
    [
        ([({"who": name}, {"owner": name}) for name in NAMES], "equal"),
        ([({"who": number}, {"owner": float(number)}) for number in range(6)], "equal"),
        ([({"who": f" {name.upper()}"}, {"owner": name}) for name in NAMES], "same"),
        ([({"who": str(number)}, {"owner": number}) for number in range(6)], "same"),
        ([({"who": [name, "Joan Clarke"]}, {"owner": name}) for name in NAMES], "among"),
        ([({"who": name.split()[0]}, {"owner": name}) for name in NAMES], "contains"),
        ([({"who": name}, {"owner": name.split()[1]}) for name in NAMES], "within"),
    ],
)
def test_the_strictest_agreement_is_suggested_whatever_the_names(rows, agree):
    assert params("argument", rows) == [{"argument": "@who", "field": ".owner", "agree": agree}]


def test_a_list_that_comes_back_may_be_sorted():
    rows: list[Row] = [({"ids": [f"i{n}", f"i{n + 1}"]}, {"items": [f"i{n}", f"i{n + 1}"]}) for n in range(9)]
    (found,) = [p for p in params("argument", rows) if p["field"] == "=items"]
    assert found == {"argument": "@=ids", "field": "=items", "agree": "same"}
    back = clause("argument", **found)
    assert explain(back) == "items has the items of the argument ids"
    assert flags(back, {"items": ["a", "b", "b"]}, {"ids": ["b", "a", "b"]}) == []
    for items in (["a"], ["a", "b", "a"], ["a", "b", "c"], []):
        assert [v.path for v in flags(back, {"items": items}, {"ids": ["b", "a", "b"]})] == ["items"]


def test_a_filter_that_was_honoured_holds_for_every_row():
    rows: list[Row] = [
        ({"city": name}, {"shops": [{"city": name, "n": i} for i in range(3)]}) for name in NAMES
    ]
    assert params("argument", rows, "shops[]") == [{"argument": "@city", "field": ".city", "agree": "equal"}]


ECHO = clause("argument", argument="@order", field=".id", agree="equal")


def test_another_answer_is_flagged_with_both_values():
    assert flags(ECHO, {"id": "W8"}, {"order": "W9"}) == [
        Violation(
            "learned_echo_mismatch",
            "id",
            "W9",
            "W8",
            "field id does not agree with the argument order of the call",
        )
    ]


def test_the_row_that_does_not_fit_is_named():
    honoured = clause("argument", "shops[]", argument="@city", field=".city", agree="same")
    (broken,) = flags(honoured, {"shops": [{"city": "Rome"}, {"city": "Oslo"}]}, {"city": "rome"})
    assert (broken.path, broken.expected, broken.observed) == ("shops[1].city", "rome", "Oslo")


@pytest.mark.parametrize("arguments", [{}, {"order": None}, {"order": "W8"}, {"other": "W9"}])
def test_what_was_not_asked_for_is_not_held_against_the_answer(arguments):
    assert flags(ECHO, {"id": "W8"}, arguments) == []
    assert flags(ECHO, {"id": None}, {"order": "W9"}) == []
    assert flags(ECHO, {}, {"order": "W9"}) == []


@pytest.mark.parametrize(
    ("agree", "argument", "field"),
    [
        ("same", "12", 12.0),
        ("same", 12.0, "12"),
        ("same", " Rome", "rome"),
        ("among", ["a", "b"], "b"),
        ("contains", "rome", "Rome, Italy"),
        ("within", "Rome, Italy", "ROME"),
        ("within", "Rome", "x" * (CONFIG.argument_text - 1)),
    ],
)
def test_spelling_is_no_disagreement(agree, argument, field):
    assert (
        flags(clause("argument", argument="@a", field=".f", agree=agree), {"f": field}, {"a": argument}) == []
    )


def test_what_stands_deeper_in_the_arguments_comes_back_too():
    deep: list[Row] = [({"who": {"name": name}}, {"owner": name}) for name in NAMES]
    assert params("argument", deep) == [{"argument": "@:who.name", "field": ".owner", "agree": "equal"}]
    lists: list[Row] = [({"lines": [{"sku": n}, {"sku": "x"}]}, {"rows": [{"sku": n}]}) for n in NAMES]
    found = {"argument": "@:lines[].sku", "field": ".sku", "agree": "among"}
    assert params("argument", lists, "rows[]") == [found]
    wrong = flags(clause("argument", "rows[]", **found), {"rows": [{"sku": "y"}]}, lists[0][0])
    assert [broken.path for broken in wrong] == ["rows[0].sku"]


DAYS = [f"2026-03-{day:02}" for day in range(1, 11)]


def test_rows_are_of_the_day_that_was_asked_for():
    rows: list[Row] = [
        ({"day": day}, {"events": [{"id": f"e{day}{k}", "start": f"{day}T0{k}:30:00"} for k in range(3)]})
        for day in DAYS
    ]
    (found,) = params("argument", rows, "events[]")
    assert found == {"argument": "@day", "field": ".start", "agree": "day"}
    learned = clause("argument", "events[]", **found)
    assert not flags(learned, {"events": [{"start": "2026-03-09 23:59:00"}]}, {"day": "2026-03-09"})
    (violation,) = flags(learned, {"events": [{"start": "2026-03-10T00:00:00"}]}, {"day": "2026-03-09"})
    assert violation.path == "events[0].start"


def test_each_of_the_things_asked_for_is_answered():
    rows: list[Row] = [
        ({"ids": [f"i{n}", f"i{n + 1}"]}, {"items": [{"id": f"i{n + k}"} for k in (1, 0, 2)]})
        for n in range(9)
    ]
    found = {"argument": "@ids", "field": "|items", "agree": "answered"}
    assert found in params("argument", rows)
    learned = clause("argument", **found)
    assert not flags(learned, {"items": [{"id": "a"}, {"id": "c"}, {"id": "b"}]}, {"ids": ["a", "b"]})
    (violation,) = flags(learned, {"items": [{"id": "a"}]}, {"ids": ["a", "b"]})
    assert (violation.expected, violation.observed) == (["b"], "missing")
