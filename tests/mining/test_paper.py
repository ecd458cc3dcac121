"""Mining as published: one state for each kind and tool."""

from outcome_monitors import Call
from outcome_monitors.features.walk import look
from outcome_monitors.mining.paper import PaperObservations
from outcome_monitors.rules import KINDS

CALLS = [
    Call(tool, {"id": n}, {"id": n, "status": "open", "price": n + 1, "twice": 2 * n + 2}, task=str(n))
    for n in range(6)
    for tool in ("get", "find")
]


def published(calls):
    found = PaperObservations()
    for call in calls:
        found.add(look(call, 1))
    return found


def test_every_kind_of_the_profile_is_asked_and_no_other():
    kinds = {candidate.clause.kind for _, candidate in published(CALLS).candidates()}
    assert kinds <= {name for name, kind in KINDS.items() if "paper" in kind.mining.profiles}
    assert {"type", "required", "positive", "domain", "echo", "affine", "closed_fields"} <= kinds


def test_tools_are_kept_apart_and_come_in_order():
    found = published(CALLS)
    assert found.tools() == {"get", "find"}
    tools = [tool for tool, _ in found.candidates()]
    assert tools == sorted(tools)
    assert tools.count("get") == tools.count("find")


def test_halves_merge_into_the_whole():
    halves = published(CALLS[::2])
    other = published(CALLS[1::2])
    halves.merge(other)
    assert list(halves.candidates()) == list(published(CALLS).candidates())
    assert list(other.candidates()) == list(published(CALLS[1::2]).candidates())


def test_nothing_observed_is_nothing_suggested():
    assert list(PaperObservations().candidates()) == []
    assert PaperObservations().tools() == set()
