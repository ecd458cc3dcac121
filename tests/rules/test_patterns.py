"""The patterns that generated code matches texts with say what the forms say, no more and no less."""

import re
import time

from hypothesis import example, given, settings, strategies as st

from outcome_monitors.rules.base.texts import all_match, pattern_of
from outcome_monitors.rules.form import _SIGNS, FIXED_WIDTH, READINGS

readings = st.sampled_from(sorted(READINGS))
texts = st.lists(st.sampled_from([*"aZ09-_. ^]\\", "ab", "abc", "12", "--", "AB"]), max_size=6).map("".join)


def pattern(reading, forms):
    return pattern_of(forms, _SIGNS, any_width=reading not in FIXED_WIDTH)


@given(reading=readings, seen=st.lists(texts, max_size=8), others=st.lists(texts, max_size=8))
@example("classes", ["a", "abc", "abcde"], ["ab", "abcd", "abcdef"])
@example("classes", ["a-1", "ab-1", "a-12", "ab-12", "abc-1"], ["abc-12", "a-", "-1"])
@example("classes", ["", "a-"], ["a", "-"])
@settings(max_examples=400, deadline=None)
def test_a_text_matches_where_its_form_is_among_those_seen(reading, seen, others):
    forms = {READINGS[reading](text) for text in seen}
    match = re.compile(pattern(reading, forms)).fullmatch
    every = [*seen, *others]
    assert [bool(match(text)) for text in every] == [READINGS[reading](text) in forms for text in every]


@given(
    reading=readings, seen=st.lists(texts, max_size=4), column=st.lists(texts | st.just("a\nb"), max_size=6)
)
@settings(max_examples=200, deadline=None)
def test_a_column_matches_where_every_text_does(reading, seen, column):
    forms = {READINGS[reading](text) for text in seen}
    written = pattern(reading, forms)
    for some in (column, seen, [*seen, *column]):
        assert all_match(written)(some) is all(re.fullmatch(written, text) for text in some)


def test_a_long_column_that_does_not_match_is_told_at_once():
    every = all_match(pattern("runs", {"a", "a-a", "a0", "a-a0"}))
    column = ["abc-abc1"] * 20_000
    started = time.process_time()
    assert every(column)
    assert not every([*column, "abc-abc1-"])
    assert time.process_time() - started < 1
