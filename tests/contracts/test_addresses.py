"""A clause is named by its id, by its address, or by as much of either as no other clause begins with."""

import pytest

from outcome_monitors.contracts.identity import (
    known_clauses,
    looks_like_a_clause,
    name_clause,
    resolve,
)
from outcome_monitors.exceptions import ContractError
from outcome_monitors.model import Clause

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
