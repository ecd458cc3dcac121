"""What a framework has put around a result does not become the result."""

import json

import pytest

from outcome_monitors.traces.imports import ImportTally, import_traces

ORDER = {"order_id": "W1", "total": 12.5}
MESSAGE = {"content": json.dumps(ORDER), "name": "get_order", "tool_call_id": "c1", "status": "success"}
FORMS = {
    "plain": ORDER,
    "text": json.dumps(ORDER),
    "printed": repr(ORDER),
    "lc": {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "ToolMessage"],
        "kwargs": MESSAGE,
    },
    "dumped": {"type": "tool", **MESSAGE},
    "message as printed": f"content={json.dumps(ORDER)!r} name='get_order' tool_call_id='c1'",
    "mcp": {
        "content": [{"type": "text", "text": json.dumps(ORDER)}],
        "structuredContent": ORDER,
        "isError": False,
    },
}


def observation(output):
    """Return an observation of Langfuse, with the output as LangChain's handler leaves it."""
    return {
        "id": "o1",
        "traceId": "t1",
        "sessionId": "s1",
        "type": "TOOL",
        "name": "get_order",
        "input": {"order_id": "W1"},
        "output": output,
        "startTime": "2026-03-01T10:00:00Z",
        "level": "DEFAULT",
    }


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_one_result(form, tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text(json.dumps(observation(FORMS[form])) + "\n")
    tally = ImportTally()
    [call] = import_traces([path], "langfuse", tally=tally)
    assert call.result == ORDER
    assert tally.reasons.total() == (form not in ("plain", "text"))
