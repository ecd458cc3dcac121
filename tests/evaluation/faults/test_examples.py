"""One expected example of each fault, kept in tests/golden/faults.json; and the documentation of all."""

import json
from collections.abc import Callable

import pytest

from outcome_monitors.evaluation.faults import NOT_APPLICABLE, SUITES, Fault, faults
from tests.evaluation.faults.examples import SUBJECTS, changes
from tests.places import DOCS

ALL = faults(SUITES)


def example(fault: Fault) -> dict[str, object]:
    """Return what a fault does to the first of the example calls that it applies to."""
    for subject in SUBJECTS:
        result = fault.apply(subject)
        if result is not NOT_APPLICABLE:
            call = subject.call
            return {"tool": call.tool, "arguments": call.arguments, "changes": changes(call.result, result)}
    raise AssertionError(f"{fault.name} applies to none of the examples")


def test_every_fault_changes_its_example_as_recorded(golden: Callable[[str, str], None]):
    examples = {fault.name: example(fault) for fault in ALL}
    golden("faults.json", json.dumps(examples, indent=1, ensure_ascii=False) + "\n")


def test_every_fault_is_documented_with_its_pattern_and_what_sees_it():
    page = (DOCS / "reference" / "faults.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    documented = {(row[0].strip("| `"), row[1], row[-1].strip(" |")) for row in rows if len(row) == 4}
    assert {(fault.name, fault.pattern, fault.needs) for fault in ALL} <= documented


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
