"""A pattern that is compiled at its first use does all that a compiled one does."""

import re

import pytest

from outcome_monitors.values.late_pattern import late_pattern


def test_it_does_what_the_compiled_one_does():
    late, compiled = late_pattern(r"(a)(b)?", re.IGNORECASE), re.compile(r"(a)(b)?", re.IGNORECASE)
    for _ in range(2):
        assert late.findall("abA") == compiled.findall("abA")
        assert late.sub("-", "xab") == "x-"
    assert (late.pattern, late.groups) == (compiled.pattern, compiled.groups)


def test_a_pattern_that_is_none_is_found_out_at_its_first_use():
    late = late_pattern("(")
    with pytest.raises(re.error):
        late.search("")
