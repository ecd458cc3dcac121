"""The patterns that generated code matches texts with say what the forms say, no more and no less."""

import re

from hypothesis import example, given, settings, strategies as st

from outcome_monitors.rules.base.texts import pattern_of
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
