"""A receipt beside a result: whatever the shape, what the tool said is still there as it was."""

import json

from hypothesis import given, strategies as st

from outcome_monitors.receipts.carriers import beside, paragraph, text_beside

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


@given(st.text() | JSON.map(json.dumps), st.sampled_from([RECEIPT, {"note": "Doubtful.", **RECEIPT}]))
def test_text_stays_byte_for_byte_and_gets_a_paragraph(text, receipt):
    seen = text_beside(text, receipt)
    assert seen.startswith(text)
    assert seen.removeprefix(text).lstrip() == paragraph(receipt)


def test_a_paragraph_is_the_note_or_the_receipt_as_json():
    assert json.loads(paragraph(RECEIPT)) == {"outcome_contract": RECEIPT}
    assert paragraph({"note": "Doubtful.", **RECEIPT}) == "Doubtful."
