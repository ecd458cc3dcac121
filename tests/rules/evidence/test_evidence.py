"""Bounded samples, and the tasks that stand behind them."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors import Call
from outcome_monitors.features.session.state import Recalled
from outcome_monitors.features.walk import look
from outcome_monitors.rules.evidence.evidence import OBJECTS, Evidence
from outcome_monitors.rules.evidence.place import LONGEST_TEXT, VALUES, Place, kept_text
from outcome_monitors.rules.evidence.samples import NO_TASK, Sample, Witness, tasks_behind
from tests.strategies import calls

SIZE = 5

items = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 6)), max_size=60)


def sample(some, size=SIZE):
    found: Sample[int] = Sample(size)
    for item, task in some:
        found.add(item, task)
    return found


@given(some=items, order=st.randoms(use_true_random=False), cuts=st.lists(st.integers(0, 60), max_size=3))
@settings(max_examples=200, deadline=None)
def test_a_sample_is_the_same_in_any_order_and_split(some, order, cuts):
    whole = sample(some).items()
    shuffled = list(some)
    order.shuffle(shuffled)
    merged: Sample[int] = Sample(SIZE)
    edges = [0, *sorted(cuts), len(shuffled)]
    for first, last in pairwise(edges):
        merged.merge(sample(shuffled[first:last]))
    assert merged.items() == whole == sample(shuffled).items()


@given(some=items)
def test_the_witnesses_of_what_is_kept_are_exact(some):
    kept = sample(some).items()
    assert bool(kept) == bool(some)
    for item, (count, first, second) in kept:
        tasks = sorted({task for found, task in some if found == item})
        assert count == sum(found == item for found, _ in some)
        assert [first, second] == [*tasks, NO_TASK][:2]


@given(some=items)
def test_a_sample_is_bounded_and_whole_while_items_are_few(some):
    found = sample(some)
    distinct = {item for item, _ in some}
    kept = {item for item, _ in found.items()}
    assert len(found) == len(kept) == min(len(distinct), SIZE)
    assert kept <= distinct
    assert found.whole == (len(distinct) <= SIZE)


@given(some=items, more=items)
def test_merging_leaves_the_other_as_it_was_and_reading_leaves_all(some, more):
    one, other = sample(some), sample(more)
    before = list(other.items())
    one.items()
    one.merge(other)
    assert other.items() == before
    assert one.items() == sample([*some, *more]).items()


def test_a_sample_holds_at_most_twice_its_size_on_the_way():
    found: Sample[int] = Sample(SIZE)
    for item in range(1000):
        found.add(item, 0)
        assert len(found._items) <= 2 * SIZE


def test_which_items_are_kept_has_nothing_to_do_with_their_size():
    kept = [item for item, _ in sample([(item, 0) for item in range(1000)], 50).items()]
    assert 300 < sum(kept) / len(kept) < 700


def test_put_adds_an_item_with_all_its_witnesses():
    found: Sample[str] = Sample(SIZE)
    found.put("a", Witness(3, 5, NO_TASK))
    found.put("a", Witness(2, 4, 9))
    assert found.items() == [("a", Witness(5, 4, 5))]


def test_a_witness_is_alone_with_one_task():
    assert Witness(9, 1, NO_TASK).alone
    assert not Witness(9, 1, 2).alone
    assert tasks_behind([Witness(9, 1, NO_TASK), Witness(9, 1, 2), Witness(9, 7, 3)]) == {1, 2, 3, 7}
    assert tasks_behind([]) == set()


def place(*values, task=1):
    found = Place()
    found.observe(list(values), task)
    return found


def said(found):
    return [item for item, _ in found.items()]


def test_each_sort_of_value_is_kept_apart():
    found = place("a", "bb", 1, 2.5, True, None, [1, 2], [], {"x": 1})
    assert said(found.texts) == ["a", "bb"]
    assert said(found.sizes) == [1, 2]
    assert said(found.numbers) == [1, 2.5]
    assert said(found.lengths) == [0, 2]
    assert said(found.kinds) == ["array", "boolean", "integer", "null", "number", "object", "string"]
    assert (found.calls, found.count, found.with_objects) == (1, 9, 1)


def test_one_and_one_point_nought_are_one_value_and_true_is_none():
    assert found_in(1, 1.0, True) == [(1, Witness(1, 1, NO_TASK))]
    assert found_in(math.nan, math.inf) == [(math.inf, Witness(1, 1, NO_TASK))]


def found_in(*values):
    return place(*values).numbers.items()


def test_what_stands_there_twice_in_a_call_counts_once():
    found = place("a", "a", 3, 3, [1], [2])
    assert [witness.calls for _, witness in (*found.texts.items(), *found.numbers.items())] == [1, 1]
    assert found.lengths.items() == [(1, Witness(1, 1, NO_TASK))]
    found.observe(["a"], 2)
    assert found.texts.items() == [("a", Witness(2, 1, 2))]


def test_values_are_bounded():
    found = place(*range(3 * VALUES), *map(str, range(3 * VALUES)))
    assert len(found.numbers) == len(found.texts) == VALUES
    assert not found.texts.whole


def test_of_a_long_text_the_ends_are_kept():
    text = "a" * LONGEST_TEXT + "middle" + "z" * LONGEST_TEXT
    assert said(place(text).texts) == [kept_text(text)]
    assert said(place(text).sizes) == [len(text)]
    assert len(kept_text(text)) == LONGEST_TEXT
    assert kept_text(text)[0] + kept_text(text)[-1] == "az"


def evidence(some):
    found = Evidence()
    for call in some:
        found.observe(look(call))
    return found


def shown(found):
    places = {
        path: (p.calls, p.count, p.complete, p.texts.items(), p.numbers.items())
        for path, p in found.places.items()
    }
    records = {path: sample.items() for path, sample in found.records.items()}
    return found.calls, places, records


@given(some=st.lists(calls, max_size=10), order=st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_evidence_is_the_same_in_any_order_and_split(some, order):
    shuffled = list(some)
    order.shuffle(shuffled)
    merged = evidence(shuffled[::2])
    merged.merge(evidence(shuffled[1::2]))
    assert repr(sorted_(shown(merged))) == repr(sorted_(shown(evidence(some))))


def sorted_(found):
    return found[0], sorted(found[1].items()), sorted(found[2].items())


def test_records_are_rows_with_their_arguments_and_are_bounded():
    some = [Call("list", {"n": n}, [{"id": i, "n": n} for i in range(40)], task=str(n)) for n in range(50)]
    found = evidence(some)
    assert len(found.rows("[]")) == OBJECTS < 50 * 40
    row, witness = found.rows("[]")[0]
    assert row[".n"] == row["@n"]
    assert witness.calls == 1


def test_rows_follow_what_is_added_later():
    found = evidence([Call("get", {}, {"a": 1}, task="1")])
    assert len(found.rows("")) == 1
    found.observe(look(Call("get", {}, {"a": 2}, task="2")))
    assert len(found.rows("")) == 2
    found.merge(evidence([Call("get", {}, {"a": 3}, task="3")]))
    assert len(found.rows("")) == 3


def test_tasks_are_counted_by_path():
    found = evidence(
        [Call("get", {}, {"a": 1, **({"b": 2} if n < 3 else {})}, task=str(n % 7)) for n in range(20)]
    )
    assert (found.tasks(""), found.tasks("a"), found.tasks("b"), found.tasks("c")) == (7, 7, 3, 0)


def test_a_field_is_complete_where_every_object_has_it():
    found = evidence([Call("get", {}, [{"a": 1, "b": 1}, {"a": 1}], task="1")])
    assert (found.places["[].a"].complete, found.places["[].b"].complete) == (1, 0)


@pytest.mark.parametrize("agreed", [True, False])
def test_a_call_that_contradicts_once_contradicts(agreed):
    found = Evidence()
    again = Recalled(("", "@", ".a"), True, 1, 1)
    changed = Recalled(("", "@", ".a"), agreed, 1, 1 if agreed else 2)
    found.recall([again, changed, again], 3)
    assert found.recalled["", "@", ".a"].items() == [(agreed, Witness(1, 3, NO_TASK))]
