"""Putting relations together: order and repetition do not matter, and what people decided stands."""

import itertools

from hypothesis import given, strategies as st

from outcome_monitors import Relations
from outcome_monitors.recovery.mining import combine, edited, written_by_hand
from outcome_monitors.recovery.relations import Edit, Relation

NAMES = st.sampled_from("abcde")
RELATIONS = st.builds(
    Relation,
    NAMES,
    st.sampled_from([0.2, 0.5, 0.9, 1.0]),
    st.sampled_from(["declared", "signature", "behaviour", "chain", "mine"]),
    st.sampled_from(["because", "so"]),
    st.sampled_from([{}, {"x": "y"}]),
)
FOUND = st.dictionaries(NAMES, st.lists(RELATIONS, max_size=8), max_size=4)
EDITS = st.lists(st.builds(Edit, NAMES, NAMES, st.sampled_from(["accept", "reject", "add"])), max_size=5)


@given(st.lists(FOUND, min_size=2, max_size=3))
def test_the_order_of_the_sources_does_not_matter(sources):
    [first, *others] = [combine(*order) for order in itertools.permutations(sources)]
    assert others == [first] * len(others) != []


@given(FOUND, FOUND)
def test_a_source_given_twice_counts_once(one, other):
    assert combine(one, other, one) == combine(one, other)


@given(FOUND)
def test_the_best_stand_first_and_no_tool_stands_in_for_itself(found):
    combined = combine(found)
    assert combined.keys() == {tool for tool, listed in found.items() if {r.tool for r in listed} - {tool}}
    for tool, listed in combined.items():
        assert [r.confidence for r in listed] == sorted((r.confidence for r in listed), reverse=True)
        assert len({r.tool for r in listed}) == len(listed)
        assert tool not in {r.tool for r in listed}


@given(FOUND, FOUND, EDITS)
def test_edits_survive_whatever_is_mined(one, other, edits):
    last = {(edit.tool, edit.substitute): edit.verdict for edit in edits}
    for found in (one, other):
        listed = edited(combine(found), edits)
        stand = {pair for pair in last if pair[1] in {r.tool for r in listed.get(pair[0], ())}}
        assert stand == {pair for pair, verdict in last.items() if verdict != "reject"}


def test_entries_written_by_hand_survive_and_mined_ones_do_not():
    by_hand, mined = Relation("b", 1.0, "our wiki", "said so"), Relation("c", 0.9, "signature", "alike")
    assert written_by_hand(Relations({"a": [by_hand, mined]})) == {"a": [by_hand]}
