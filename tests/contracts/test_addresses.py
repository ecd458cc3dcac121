"""A clause is named by its id, by its address, or by as much of either as no other clause begins with."""

from collections import Counter
from itertools import islice

import pytest

from outcome_monitors import mine, read_traces
from outcome_monitors.cli.demo import TRAFFIC
from outcome_monitors.contracts.identity import (
    address,
    identify,
    known_clauses,
    looks_like_a_clause,
    name_clause,
    name_of,
    resolve,
)
from outcome_monitors.contracts.overrides import Override, Overrides, dumps, loads
from outcome_monitors.contracts.registry import Registry, owned
from outcome_monitors.exceptions import ContractError
from outcome_monitors.model import Clause, Contract
from tests.shared import shared

POSITIVE = Clause("positive", "total", {}, 9, 9, "traces")
REQUIRED = Clause("required", "total", {}, 9, 9, "traces")
ODD = Clause("required", 'a/b#c["d.e"]', {}, 9, 9, "traces")
KNOWN = known_clauses({"get_order": [POSITIVE, REQUIRED], "shop.get/order#2": [ODD, POSITIVE]})


@pytest.mark.parametrize("owner", ["get_order", "shop.get/order#2"])
@pytest.mark.parametrize("clause", [POSITIVE, REQUIRED, ODD])
def test_every_way_of_naming_a_clause(owner, clause):
    known = known_clauses({owner: [POSITIVE, REQUIRED, ODD]})
    name = name_clause(owner, clause)
    place, _, _ = name.address.rpartition("#")
    for text in (name.id, name.address, f"{place}#{name.id}", f"{place}#{name.id[:1]}", f"#{name.id[:4]}"):
        assert resolve(text, known) == name.id
    assert looks_like_a_clause(name.address)
    assert looks_like_a_clause(name.id)


def test_more_than_one_is_a_sentence_that_names_them():
    twins = known_clauses(
        {
            "t": [
                Clause("fields_equal", "", {"first": "a", "second": other}, 9, 9, "traces")
                for other in ("b", "c")
            ]
        }
    )
    with pytest.raises(
        ContractError, match=r"'t\./fields_equal' names 2 clauses: t\./fields_equal#.*give more"
    ):
        resolve("t./fields_equal", twins)


def test_one_that_is_close_is_offered():
    with pytest.raises(ContractError, match=r"did you mean get_order\.total/positive#"):
        resolve("get_order.total/positiv#", KNOWN)
    with pytest.raises(ContractError, match="`show` lists them all"):
        resolve("zzzzzz", KNOWN)


FILES = [
    "agentdojo",
    "bfcl_open",
    "contentful_after",
    "github_rest",
    "linode_before",
    "tau2_airline",
    "tau_retail",
]
CALLS = 60


@pytest.mark.parametrize("name", ["the demo", *FILES])
def test_no_two_clauses_of_a_contract_share_an_address(name):
    file = TRAFFIC if name == "the demo" else shared(f"data/traces/{name}.jsonl.gz")
    registry = mine(islice(read_traces([str(file)]), CALLS))
    named = Counter(
        (address(owner, clause), clause.source)
        for owner, clauses in owned(registry).items()
        for clause in clauses
    )
    assert named
    assert [one for one, times in named.items() if times > 1] == []


# What was decided under the one name that all clauses of a kind at a path once shared

SORTS = [
    Clause("anomalous_text", "note", {"marks": marks}, 9, 9, "traces")
    for marks in (["refusal"], ["hole"], ["error", "cut"])
]
FORMER = name_of("t", "anomalous_text", "note", {})


def test_a_decision_under_a_former_name_holds_for_all_that_shared_it():
    muted = loads(dumps(Overrides({FORMER: Override("t", "anomalous_text", "note", {}, "mute")})))
    assert [*muted.entries] == [FORMER]
    assert muted.apply(Registry({"t": Contract("t", tuple(SORTS))})).contracts["t"].clauses == ()


def test_a_decision_under_a_name_of_now_holds_for_that_clause_alone():
    one = Override.of("t", SORTS[0], "mute")
    left = Overrides({one.id: one}).apply(Registry({"t": Contract("t", tuple(SORTS))}))
    assert {*map(str, left.contracts["t"].clauses)} == {*map(str, SORTS[1:])}


def test_a_former_address_names_the_clauses_that_shared_it():
    known = known_clauses({"t": SORTS})
    with pytest.raises(ContractError, match="names 3 clauses"):
        resolve(f"t.note/anomalous_text#{FORMER[:6]}", known)
    assert resolve(f"t.note/anomalous_text#{FORMER[:6]}", known_clauses({"t": SORTS[:1]})) == identify(
        "t", SORTS[0]
    )
