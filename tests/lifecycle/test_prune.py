"""What can be given up, and what never is."""

from hypothesis import given, settings, strategies as st

from outcome_monitors import Registry
from outcome_monitors.lifecycle import identify, prune, without
from outcome_monitors.model import Clause, Contract
from tests.lifecycle.orders import clean, contracts

CLEAN = clean(24, 500)
IDLE = Clause("positive", "discount", {}, 9, 9, "traces")
VAIN = Clause("domain", "status", {"values": ["lost"]}, 9, 9, "traces")
MINED = contracts(30).contracts["get_order"].clauses
ALL = [*(clause for clause in MINED if clause.kind != "domain"), IDLE, VAIN]


def registry(*clauses: Clause) -> Registry:
    return Registry({"get_order": Contract("get_order", clauses)})


def test_a_path_that_never_occurs_and_one_that_fires_on_all():
    found = {
        spare.clause.path: (spare.why, spare.fired, spare.tasks)
        for spare in prune(CLEAN, registry(IDLE, VAIN))
    }
    assert found == {"discount": ("no chance", 0, 24), "status": ("only clean", 24, 24)}


def test_a_clause_that_catches_something_stays():
    assert prune(CLEAN, contracts(30)) == []


@settings(max_examples=15)
@given(st.sets(st.sampled_from([identify("get_order", clause) for clause in ALL])))
def test_what_is_to_be_kept_is_never_given_up(kept):
    whole = registry(*ALL)
    spare = prune(CLEAN[:8], whole, kept, limit=1)
    assert kept.isdisjoint(found.id for found in spare)
    left = {identify("get_order", clause) for clause in without(whole, spare).contracts["get_order"].clauses}
    assert kept <= left
    assert left.isdisjoint(found.id for found in spare)
