"""One expected example of each fault, kept in tests/golden/faults.json; and the documentation of all."""

import json

import pytest

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Fault, faults
from tests.evaluation.faults.examples import SUBJECTS
from tests.evaluation.faults.regenerate import FILE, PAGE, example, table

ALL = faults(SUITES)
EXPECTED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("fault", ALL, ids=lambda fault: fault.name)
def test_example(fault: Fault):
    assert example(fault) == EXPECTED[fault.name]


def test_no_example_is_left_over():
    assert list(EXPECTED) == [fault.name for fault in ALL]


def test_every_fault_is_documented():
    text = PAGE.read_text(encoding="utf-8")
    assert [fault.name for fault in ALL if f"`{fault.name}`" not in text] == []
    assert table() in text, "run python -m tests.evaluation.faults.regenerate"


def test_different_calls_are_hit_at_different_places():
    orders = [subject for subject in SUBJECTS if subject.call.tool in ("get_order", "search_flights")]
    for name in ("physics_violation", "tool_leakage", "missing_required_fields"):
        fault = next(fault for fault in ALL if fault.name == name)
        results = [fault.apply(subject) for subject in orders]
        kinds = {
            frozenset(_places(subject.call.result, result))
            for subject, result in zip(orders, results, strict=True)
        }
        assert len(kinds) > 3


def _places(before: object, after: object, place: str = "") -> list[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        return [p for key in before for p in _places(before[key], after.get(key), f"{place}.{key}")]
    if isinstance(before, list) and isinstance(after, list):
        return [
            p
            for i, (b, a) in enumerate(zip(before, after, strict=False))
            for p in _places(b, a, f"{place}[{i}]")
        ]
    return [] if before == after else [place]


@pytest.mark.parametrize("fault", SUITES["toolmaze"], ids=lambda fault: fault.name)
def test_toolmaze_faults_keep_the_keys_and_say_no_error(fault: Fault):
    pairs = [(subject.call.result, fault.apply(subject)) for subject in SUBJECTS]
    applied = [(r, found) for r, found in pairs if found is not NOT_APPLICABLE and isinstance(r, dict)]
    assert applied
    for before, result in applied:
        missing = before.keys() - result.keys()
        assert len(missing) <= (1 if fault.name == "missing_required_fields" else 0)
        assert result.keys() <= before.keys()
        assert "error" not in result
