"""Bounded samples, and the tasks that stand behind them."""

from itertools import pairwise

from hypothesis import given, settings, strategies as st

from outcome_monitors import Call
from outcome_monitors.features.walk import look
from outcome_monitors.rules.evidence.evidence import OBJECTS, Evidence
from outcome_monitors.rules.evidence.place import LONGEST_TEXT, Place, stored_text
from outcome_monitors.rules.evidence.samples import NO_TASK, Sample
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


def test_of_a_long_text_the_ends_are_kept():
    text = "a" * LONGEST_TEXT + "middle" + "z" * LONGEST_TEXT
    assert said(place(text).texts) == [stored_text(text)]
    assert said(place(text).sizes) == [len(text)]
    assert len(stored_text(text)) == LONGEST_TEXT
    assert stored_text(text)[0] + stored_text(text)[-1] == "az"


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
