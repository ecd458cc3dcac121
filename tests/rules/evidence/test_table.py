"""The records of a path, feature by feature."""

from hypothesis import given, strategies as st

from outcome_monitors.features.feature import ABSENT
from outcome_monitors.features.walk import look
from outcome_monitors.rules.evidence.evidence import Evidence
from outcome_monitors.rules.evidence.table import first_of, last_of, members, set_of
from tests.rules.relations import calls as of_rows, evidence
from tests.strategies import calls

some = st.sets(st.integers(0, 199))


@given(some, some)
def test_a_set_of_records_is_a_set(mine: set[int], theirs: set[int]) -> None:
    one, other = set_of(mine, 200), set_of(theirs, 200)
    assert members(one & other) == sorted(mine & theirs)
    assert members(one | other) == sorted(mine | theirs)
    assert one.bit_count() == len(mine)
    if mine:
        assert (first_of(one), last_of(one)) == (min(mine), max(mine))


@given(st.lists(calls, min_size=1, max_size=12))
def test_columns_say_what_rows_say(some_calls):
    kept = Evidence()
    for call in some_calls:
        kept.observe(look(call))
    assert kept.records
    for path in kept.records:
        table, rows = kept.table(path), kept.rows(path)
        assert table.witnesses == [witness for _, witness in rows]
        assert list(table.columns) == sorted({name for found, _ in rows for name in found})
        for name, (values, having) in table.columns.items():
            assert values == [found.get(name, ABSENT) for found, _ in rows]
            assert members(having) == [index for index, (found, _) in enumerate(rows) if name in found]


some = st.sets(st.integers(0, 59))


@given(some, some, st.sampled_from([0.0, 0.02, 0.2]))
def test_records_that_fail_a_test_are_returned_unless_they_are_too_many(tested, bad, most):
    found = (
        evidence(of_rows([({}, {"a": n}) for n in range(60)]))
        .table("")
        .odd(set_of(tested, 60), lambda row: row not in bad, most)
    )
    too_many = len(tested & bad) > most * len(tested)
    assert (None if found is None else members(found)) == (None if too_many else sorted(tested & bad))
