"""Two answers are the same by their content where they are by their features, and otherwise not."""

from typing import Any

from hypothesis import example, given, settings, strategies as st

from outcome_monitors.memory.content import content_of
from outcome_monitors.memory.summary import Summary, summary_of
from outcome_monitors.records.extraction import answer_of
from outcome_monitors.values.types import HIDDEN

scalars = st.sampled_from([None, "", "W1", "x" * 50, "x" * 300, 0, 1, True, False, 1.0, 0.5, -0.0])
keys = st.sampled_from(["id", "b", "rows", "1001", "1002", "odd.key"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)


def by_features(answer: Any) -> Summary:
    return summary_of({}, answer_of({}, answer))


@given(values, values)
@settings(max_examples=500, deadline=None)
@example({"a": 1, "rows": [1]}, {"rows": [1], "a": 1})
@example({"a": 1}, {"a": True})
@example({"a": {"b": {"c": {"d": 1}}}}, {"a": {"b": {"c": {"d": 2}}}})
@example({"1001": {"x": 1}}, {"1001": {"x": 2}})
def test_content_tells_answers_apart_as_features_do(one, other):
    first, second = content_of(one), content_of(other)
    assert first is not None
    assert second is not None
    told, beside = by_features(one), by_features(other)
    assert (first[1], second[1]) == (told.tells, beside.tells)
    assert (first[0] == second[0]) == (told.whole == beside.whole)


def test_of_a_wide_answer_its_features_tell():
    for width in range(1, 120):
        wide = {"rows": [{f"f{n}": "text" for n in range(width)}], **{f"g{n}": n for n in range(width)}}
        content = content_of(wide)
        assert content is None or by_features(wide).whole is not None
    assert content_of({f"g{n}": n for n in range(94)}) is not None
    assert content_of({f"g{n}": n for n in range(96)}) is None


def test_of_what_is_private_or_not_plain_its_features_tell():
    hidden = HIDDEN["other"]()
    assert content_of({"a": 1, "b": hidden}) is None
    assert content_of({"rows": [{"a": hidden}]}) is None
    assert content_of({"a": object()}) is None
