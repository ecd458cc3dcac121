"""Tables that are views of one universe: what they suggest is what each would suggest by itself."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, strategies as st

from outcome_monitors.evidence.evidence import Evidence, together
from outcome_monitors.evidence.table import Table, Universe, members, set_of
from outcome_monitors.mining.observations import Observations
from outcome_monitors.mining.trials import suggest
from outcome_monitors.mining.views import look_from, universes_of
from outcome_monitors.rules import KINDS
from outcome_monitors_study.world import nominal_traces

RECORDS = 60
_OF_RECORDS = tuple(kind for kind in KINDS.values() if "full" in kind.profiles and kind.about == "record")

Parts = Sequence[Mapping[str, Evidence]]


@pytest.fixture(scope="module")
def parts() -> Parts:
    observations = Observations("full")
    observations.add_all(nominal_traces(30))
    return observations.parts


def _without(parts: Parts, left_out: int) -> dict[str, Evidence]:
    return together(part for number, part in enumerate(parts) if number != left_out)


def test_a_view_suggests_what_it_would_by_itself(parts):
    """The views are looked from one after the other, so that all but the first find what others found out."""
    universes = universes_of(parts, together(parts))
    suggested = 0
    for view in (1, 0, len(parts)):
        alone, seen_from = _without(parts, view), _without(parts, view)
        look_from(universes, view, seen_from)
        by_itself = suggest(alone, _OF_RECORDS)
        assert suggest(seen_from, _OF_RECORDS) == by_itself
        suggested += sum(map(len, by_itself.values()))
    assert suggested > 300


def test_a_view_has_the_columns_of_a_table_by_itself(parts):
    universes = universes_of(parts, together(parts))
    tables: list[tuple[Table, Table]] = []
    for view in range(len(parts) + 1):
        alone, seen_from = _without(parts, view), _without(parts, view)
        look_from(universes, view, seen_from)
        for tool, found in alone.items():
            tables += [(found.table(path), seen_from[tool].table(path)) for path in found.records]
    assert len(tables) > 250
    for one, other in tables:
        assert (one.columns, one.shapes) == (other.columns, other.shapes)
        assert one.witnesses == other.witnesses == [other.standing[row] for row in other.rows]


def test_more_records_than_are_kept_have_no_universe(parts):
    whole = together(parts)
    tool, path = next((tool, path) for tool, found in whole.items() for path in found.records)
    full = whole[tool].records[path]
    full.size = len(full) - 1
    assert path not in universes_of(parts, whole)[tool]


some = st.sets(st.integers(0, RECORDS - 1))


@given(some, some, st.lists(some, min_size=1, max_size=4), st.sampled_from([0.0, 0.02, 0.2]))
def test_what_is_odd_is_told_unless_it_is_too_much_everywhere(tested, bad, views, most):
    records, odd = set_of(tested, RECORDS), tested & bad
    universe = Universe((), Table(()), [set_of(view, RECORDS) for view in views])
    found = universe.odd(records, lambda row: row not in bad, most)
    too_many = [len(odd & view) > most * len(tested & view) for view in views]
    if found is None:
        assert all(too_many)
    else:
        assert members(found) == sorted(odd)


def test_it_looks_no_further_than_it_must():
    looked: set[int] = set()

    def holds(row: int) -> bool:
        looked.add(row)
        return False

    universe = Universe((), Table(()), [(1 << RECORDS) - 1])
    assert universe.odd((1 << RECORDS) - 1, holds, 0.02) is None
    assert looked == {0, 1}


def test_what_was_found_once_is_not_looked_for_again():
    universe = Universe((), Table(()), ())
    assert universe.once("a", list) is universe.once("a", list)
