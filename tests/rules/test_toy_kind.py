"""A new kind is one file (`piece`) and one row of `KINDS`, and all that treats kinds treats it."""

from dataclasses import replace
from typing import cast

import pytest

from outcome_monitors import Call, Monitor, Registry, mine
from outcome_monitors.checking.compiled import compile_contract
from outcome_monitors.contracts.overrides import dumps, loads
from outcome_monitors.lifecycle import Override, Overrides, diff, drift, identify, lint
from outcome_monitors.model import Clause, Contract
from outcome_monitors.rules import KINDS, Kind, evaluate, explain
from tests.rules.piece import Piece
from tests.rules.test_pages import kinds_table

REGIONS = ("EU", "JP", "US")


def parcel(number: int, region: str = "") -> Call:
    code = f"{region or REGIONS[number % 3]}-{1000 + number * 37 % 8999}-{'AB'[number % 2]}"
    return Call(
        "get_parcel", {"number": number}, {"code": code, "weight": 1 + number % 40}, task=f"t{number}"
    )


@pytest.fixture(autouse=True)
def row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, Kind]", KINDS), Piece.name, Piece())


@pytest.fixture
def learned() -> Registry:
    return mine([parcel(number) for number in range(120)], "full")


@pytest.fixture
def alone(learned: Registry) -> Registry:
    """The clauses of the new kind, and no others."""
    clauses = [clause for clause in learned.contracts["get_parcel"].clauses if clause.kind == Piece.name]
    return Registry({"get_parcel": Contract("get_parcel", tuple(clauses))}, "full")


@pytest.fixture
def pieces(alone: Registry) -> tuple[Clause, ...]:
    return alone.contracts["get_parcel"].clauses


def test_it_is_mined_explained_and_survives_a_file(alone, pieces):
    assert [(clause.path, dict(clause.params)) for clause in pieces] == [
        ("code", {"end": "first", "pieces": ["EU", "JP", "US"]}),
        ("code", {"end": "last", "pieces": ["A", "B"]}),
    ]
    assert explain(pieces[1]) == "the last piece of code is A or B"
    assert Registry.loads(alone.dumps()) == alone


def test_a_monitor_flags_what_breaks_it_before_what_only_looks_odd(learned):
    monitor = Monitor(learned)
    assert monitor.check("get_parcel", {"number": 7}, parcel(7).result) == ()
    wrong = {**parcel(7).result, "code": "XX-9-A"}
    codes = [violation.code for violation in monitor.check("get_parcel", {"number": 7}, wrong)]
    assert codes[0] == Piece.code
    assert len(codes) > 1


def test_the_compiled_check_agrees_with_the_plain_one(alone, pieces):
    surely = compile_contract(alone.contracts["get_parcel"])
    results = [parcel(3).result, {"code": "XX-1-A"}, {"code": "EU-1-C"}, {"code": None}, {"code": 7}, {}, []]
    plain = [not [*evaluate(pieces, {}, result)] for result in results]
    assert [surely({}, result) for result in results] == plain
    assert plain.count(False) == 2


def test_drift_of_its_values_is_found(alone):
    calls = [parcel(number) for number in range(1000, 1120)]
    new = {"code": "BR-1-A", "weight": 1}
    later = [call if number % 5 else replace(call, result=new) for number, call in enumerate(calls)]
    [tool] = drift(later, alone)
    assert [clause.verdict for clause in tool.clauses] == ["drift"]


def test_a_decision_on_it_outlives_the_next_mining(alone, pieces):
    muted = Overrides().decided(Override.of("get_parcel", pieces[0], "mute"))
    more = mine([parcel(number, "BR" if number % 4 == 0 else "") for number in range(120)], "full")
    left = loads(dumps(muted)).apply(more).contracts["get_parcel"].clauses
    assert [clause.params["end"] for clause in left if clause.kind == Piece.name] == ["last"]
    changed = [change.id for change in diff(alone, more) if change.what == "changed"]
    assert changed == [identify("get_parcel", pieces[0])]


def test_lint_looks_into_what_it_has_learned(alone):
    assert lint(alone) == []
    told = Clause(Piece.name, "code", {"end": "last", "pieces": ["ann.lee@example.com"]}, 9, 9, "traces")
    [remark] = lint(Registry({"get_parcel": Contract("get_parcel", (told,))}))
    assert (remark.rule, remark.id) == ("personal-data", identify("get_parcel", told))


def test_the_tables_of_the_pages_list_it():
    assert f"| [`{Piece.name}`]({Piece.name}.md) | `{Piece.code}` | {Piece.__doc__} |" in kinds_table()
