"""A receipt beside a result: whatever the shape, what the tool said is still there as it was."""

import json

from hypothesis import given, strategies as st

from outcome_monitors.receipts.carriers import beside, paragraph, printed, text_beside

RECEIPT = {"status": "inconsistent", "violation": {"path": "total", "observed": "Zürich"}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(JSON)
def test_an_object_or_list_is_the_same_object_inside_the_envelope(result):
    seen = beside(result, RECEIPT)
    if isinstance(result, str):
        assert seen == text_beside(result, RECEIPT)
    else:
        assert seen["tool_result"] is result
        assert seen["outcome_contract"] is RECEIPT


@given(st.lists(JSON) | st.dictionaries(st.text(), JSON), st.sampled_from([None, 2]))
def test_json_text_stays_byte_for_byte_and_the_whole_is_json(result, indent):
    text = json.dumps(result, indent=indent)
    seen = text_beside(text, RECEIPT)
    assert json.loads(seen) == {"tool_result": result, "outcome_contract": RECEIPT}
    assert text in seen


@given(st.text())
def test_other_text_gets_a_paragraph(text):
    seen = text_beside(text, RECEIPT)
    assert text in seen
    if not text.lstrip().startswith(("{", "[")):
        assert seen.startswith(text)
        assert seen.endswith(paragraph(RECEIPT))


def test_what_is_printed_stays_as_python_prints_it():
    result = {"total": -5.0, "open": True, "note": None}
    assert printed(result, RECEIPT) == f"{result}\n\n{paragraph(RECEIPT)}"


@given(JSON)
def test_a_note_stands_behind_json_which_stays_byte_for_byte(result):
    text = json.dumps(result)
    assert text_beside(text, {"note": "Doubtful.", **RECEIPT}) == f"{text}\n\nDoubtful."
