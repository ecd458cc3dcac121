"""What holds for every fault on any JSON."""

import copy
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Corpus, Subject, faults
from outcome_monitors.exceptions import SourceError
from outcome_monitors.model import Call, Json
from tests.evaluation.faults.examples import CORPUS

ALL = faults(SUITES)

NAMES = (
    "status success id order_id name price amount total count items rows next has_more date start_time end_time"
    " created_at updated_at closed_at available stock seats city country currency message body note email error"
    " url dob mean 1001"
)
KEYS = st.sampled_from(NAMES.split()) | st.text(max_size=4)
TEXTS = (
    *("2026-03-01", "2024-02-29T10:00:00Z", "0001-01-01", "9999-12-31 23:59:59", "06:30:00"),
    *("pending", "available", "delivered", "Sent to Ana successfully.", "from 2026-01-01 to 2026-02-01"),
    *("It's 10 km; caf\u00e9", "# Title\nText: " + "words " * 20),
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from([*TEXTS, 2**53 + 1, 1773946285, 1e300, 10**400])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=16,
)
CALL = st.builds(
    Call,
    tool=st.sampled_from(["read", "mean_price", "write"]),
    arguments=st.dictionaries(
        KEYS | st.sampled_from(["page", "limit"]), SCALARS | st.lists(SCALARS, max_size=3), max_size=3
    ),
    result=JSON,
    error=st.booleans(),
)


def same(one: Json, two: Json) -> bool:
    """Compare as JSON text does: NaN is NaN, 1 is not true."""
    return json.dumps(one, sort_keys=True) == json.dumps(two, sort_keys=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(CALL, min_size=1, max_size=4))
def test_every_fault_is_total_pure_and_deterministic(calls: list[Call]):
    corpus = Corpus.of([*calls, *calls])
    given_before = copy.deepcopy(calls)
    subject = Subject(calls[-1], calls[:-1], corpus)
    for fault in ALL:
        result = fault.apply(subject)
        if result is not NOT_APPLICABLE:
            assert not same(result, calls[-1].result), fault.name
            assert same(result, fault.apply(subject)), fault.name
    assert repr(calls) == repr(given_before)


def nested(levels: int) -> Json:
    value: Any = "text"
    for _ in range(levels):
        value = [value]
    return value


ODD: dict[str, Json] = {
    "deep": nested(50_000),
    "long": 10**5000,
    "long id": {"id": 10**5000},
    "nan": math.nan,
    "infinite": -math.inf,
    "half a character": "\ud800",
    "half a key": {"\udfff": "\ud800 sent"},
    "no JSON": object(),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_values_do_no_harm(odd: str):
    clean = Call("t", {"id": 1}, {"id": 1, "note": "Sent."})
    strange = Call("t", {"id": ODD[odd]}, ODD[odd])
    for corpus in (CORPUS, Corpus.of([clean, strange, strange])):
        for fault in ALL:
            fault.apply(Subject(strange, (clean, strange), corpus))
            fault.apply(Subject(clean, (strange, clean), corpus))


def test_suites_are_chosen_by_name():
    assert faults(["incident"]) == SUITES["incident"]
    assert faults(["drift", "toolmaze"]) == (*SUITES["drift"], *SUITES["toolmaze"])
    with pytest.raises(SourceError, match="no fault suite 'chaos': choose from toolmaze, incident, drift"):
        faults(["toolmaze", "chaos"])
