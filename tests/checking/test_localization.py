"""Localization: violations are attributed to the field that explains them, and ordered by cause."""

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Clause, Contract, Monitor, Registry
from outcome_monitors.alerting.alert_policy import default_policies
from outcome_monitors.alerting.policy import BrokenClause, Detection
from outcome_monitors.checking import localization
from outcome_monitors.checking.localization import localize
from outcome_monitors.rules import KINDS, evaluate, own_place


def clause(kind, path="", tasks=30, **params):
    KINDS[kind].validate(params, "here")
    return Clause(kind, path, params, 90, tasks, "traces")


def monitor(*clauses, profile="full"):
    return Monitor(Registry({"t": Contract("t", clauses)}, profile=profile))


def localized(clauses, result):
    broken = tuple(BrokenClause(*pair) for pair in evaluate(clauses, {}, result))
    return localize(Detection("t", broken, {}, result), clauses).broken


def codes_and_paths(clauses, result, arguments=None):
    """Return code and path of what a monitor says, in order."""
    return [(found.code, found.path) for found in monitor(*clauses).check("t", arguments or {}, result)]


GROSS = clause("linear", form="sum", of=[".net", ".tax"], field=".gross", slope=1, intercept=0)
FACTS = {"Oslo": "Norway", "Rome": "Italy"}
COUNTRY = clause("functional_dependency", key=".city", field=".country", facts=FACTS)
ZONE = clause("functional_dependency", key=".city", field=".zone", facts={"Oslo": "CET", "Rome": "MET"})


def small(path):
    return clause("range", path, low=0, high=50, room="narrow")


@pytest.mark.parametrize("wrong", ["net", "tax", "gross"])
def test_the_member_that_another_clause_implicates_is_the_suspect(wrong):
    clauses = (GROSS, small("net"), small("tax"), small("gross"))
    result = {"net": 10, "tax": 2, "gross": 12, wrong: 900}
    assert codes_and_paths(clauses, result) == [("out_of_range", wrong), ("arithmetic_broken", wrong)]


def test_an_equation_alone_names_its_members_and_picks_none():
    [found] = monitor(GROSS).check("t", {}, {"net": 10, "tax": 2, "gross": 13})
    assert found.path == ""
    assert all(name in found.expected and name in found.detail for name in ("net", "tax", "gross"))
    assert found.observed == "net 10, tax 2, gross 13"


def test_what_all_broken_facts_share_is_the_suspect():
    result = {"city": "Oslo", "country": "Italy", "zone": "MET"}
    first, second = monitor(COUNTRY, ZONE).check("t", {}, result)
    assert first.path == second.path == "city"
    assert (first.expected, first.observed) == ("country as it is known for city 'Oslo'", "Oslo")


def test_what_agrees_with_others_is_less_suspicious():
    result = {"city": "Oslo", "country": "Italy", "zone": "CET"}
    assert codes_and_paths((COUNTRY, ZONE), result) == [("known_fact_contradicted", "country")]
    asked = clause("argument", argument="@town", field=".city", agree="equal")
    told_so = codes_and_paths((COUNTRY, asked), result, {"town": "Oslo"})
    assert told_so == [("known_fact_contradicted", "country")]


def test_the_row_that_another_clause_implicates_is_named_for_the_sum():
    total = clause("linear", form="line", of=["+items[].price"], field=".total", slope=1, intercept=0)
    result = {"items": [{"price": 3}, {"price": 400}], "total": 7}
    assert codes_and_paths((total, small("items[].price")), result) == [
        ("out_of_range", "items[1].price"),
        ("arithmetic_broken", "items[1].price"),
    ]


def test_an_answer_to_another_question_stays_first_where_many_fields_are_suspicious():
    asked = clause("argument", argument="@id", field=".id", agree="equal")
    known = [
        clause("functional_dependency", key="@id", field=f".{name}", facts={"W1": "a", "W2": "b"})
        for name in ("x", "y", "z")
    ]
    result = {"id": "W2", "x": "b", "y": "b", "z": "b"}
    more = clause("domain", "x", values=["a"])
    found = codes_and_paths((*known, more, asked), result, {"id": "W1"})
    assert found[0] == ("learned_echo_mismatch", "id")


def test_one_suspicious_field_is_no_answer_to_another_question():
    asked = clause("argument", argument="@id", field=".id", agree="equal")
    form = clause("time", "id", layout="date", low="2000-01-01", high="2050-01-01")
    found = codes_and_paths((asked, form), {"id": "-5"}, {"id": "2026-01-01"})
    assert found == [("impossible_time", "id"), ("learned_echo_mismatch", "id")]


def test_receipts_and_checks_begin_with_the_same():
    clauses = (GROSS, small("tax"), clause("closed_fields", fields=["net", "tax", "gross"]))
    session = monitor(*clauses).session()
    result = {"net": 10, "tax": 900, "gross": 12, "new": 1}
    outcome = session.judge("t", {}, result, policies=default_policies("full"))
    assert outcome.told
    assert outcome.proven[0] == outcome.broken[0]
    assert outcome.receipt["violation"]["path"] == "tax"


def test_contracts_of_the_published_profile_keep_order_and_paths():
    clauses = (GROSS, small("tax"))
    result = {"net": 10, "tax": 900, "gross": 12}
    found = monitor(*clauses, profile="paper").check("t", {}, result)
    assert [(one.code, one.path) for one in found] == [
        ("arithmetic_broken", "gross"),
        ("out_of_range", "tax"),
    ]


@pytest.mark.parametrize("beside", [(), (small("tax"),), (small("gross"),)])
def test_drift_is_counted_at_one_place_whichever_member_is_suspicious(beside):
    result = {"net": 10, "tax": 200, "gross": 130}
    clauses = (GROSS, *beside)
    [told_of] = [one.violation for one in localized(clauses, result) if one.clause is GROSS]
    assert told_of.path == (beside[0].path if beside else "")
    assert own_place(GROSS, told_of) == "gross"


def test_without_localization_the_order_of_causes_stands(monkeypatch):
    def fails(*_):
        raise RuntimeError

    monkeypatch.setattr(localization, "_by_suspiciousness", fails)
    assert codes_and_paths((small("tax"), GROSS), {"net": 10, "tax": 900, "gross": 12}) == [
        ("arithmetic_broken", "gross"),
        ("out_of_range", "tax"),
    ]


numbers = st.integers(-100, 100) | st.none() | st.text(max_size=3)


@given(result=st.dictionaries(st.sampled_from(["net", "tax", "gross", "city", "country", "zone"]), numbers))
@settings(max_examples=200, deadline=None)
def test_nothing_is_lost_and_asking_twice_says_the_same(result):
    clauses = (GROSS, COUNTRY, ZONE, small("net"), small("gross"), clause("positive", "tax"))
    plain = list(evaluate(clauses, {}, result))
    once = localized(clauses, result)
    assert sorted(id(one.clause) for one in once) == sorted(id(one) for one, _ in plain)
    assert localize(Detection("t", once, {}, result), clauses).broken == once
    for one, found, _ in once:
        assert found.path in {"", *KINDS[one.kind].members(one, found, {}, result)}
