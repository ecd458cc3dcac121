"""What is redacted stands in no event, whatever the payload."""

import json

import pytest
from hypothesis import given, strategies as st

from outcome_monitors import Clause, Violation
from outcome_monitors.events import Payloads
from outcome_monitors.exceptions import OutcomeMonitorsError
from outcome_monitors.jsonvalue.paths import Each, InText, render
from tests.strategies import json_values

STEP = st.sampled_from(["a", "b", Each.ITEM, Each.VALUE, InText.JSON])


def nested(steps, value):
    """Return a value that has `value` where the steps lead."""
    for step in reversed(steps):
        if step is Each.ITEM:
            value = [1, value]
        elif step is InText.JSON:
            value = json.dumps([value])
        else:
            value = {"x" if step is Each.VALUE else step: value, "z": 3}
    return value


@given(st.lists(STEP, max_size=5), json_values)
def test_nothing_of_it_is_left(steps, other):
    payloads = Payloads([render(["result", *steps])])
    kept = payloads.of({"q": other}, nested(steps, "s3cret"))
    assert kept is not None
    assert "s3cret" not in kept.result
    assert "[redacted]" in kept.result
    assert json.loads(kept.arguments) == json.loads(json.dumps({"q": other}))


@pytest.mark.parametrize(
    ("place", "hidden"),
    [
        ("user.mail", True),
        ("user", True),
        ("", True),
        ("user.mail.x", True),
        ("user.name", False),
        ("rows[3].key", True),
    ],
)
def test_violations_at_or_around_a_redacted_place_show_nothing(place, hidden):
    payloads = Payloads(["result.user.mail", "result.rows[].key"], keep=False)
    clause = Clause("type", place, {}, 9, 9, "traces")
    [(_, found)] = payloads.redacted(
        ((clause, Violation("code", place, "expected", "s3cret", "about s3cret")),)
    )
    assert ("s3cret" not in repr(found)) is hidden
    assert payloads.of({}, {}) is None


@pytest.mark.parametrize("path", ["", "user.mail", "[0]", "result..x"])
def test_a_path_that_says_no_side_is_refused(path):
    with pytest.raises(OutcomeMonitorsError, match="cannot redact"):
        Payloads([path])
