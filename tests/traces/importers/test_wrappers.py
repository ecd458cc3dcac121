"""What a framework has put around a result does not become the result."""

import json

import pytest

from outcome_monitors.traces.importers import ImportTally, import_traces

ORDER = {"order_id": "W1", "total": 12.5}
MESSAGE = {"content": json.dumps(ORDER), "name": "get_order", "tool_call_id": "c1", "status": "success"}
CONSTRUCTED = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "ToolMessage"]}
FORMS = {
    "lc": {**CONSTRUCTED, "kwargs": MESSAGE},
    "dumped": {"type": "tool", **MESSAGE},
}


def imported(tmp_path, line, source="auto"):
    """Import one line; return the calls, and what is said of the import."""
    path = tmp_path / "export.jsonl"
    path.write_text(json.dumps(line) + "\n")
    tally = ImportTally()
    return list(import_traces([path], source, tally=tally)), tally.explain()


def observed(tmp_path, given, result):
    """Import a tool call as LangChain's handler leaves it in Langfuse."""
    ids = {"id": "o1", "traceId": "t1", "sessionId": "s1", "startTime": "2026-03-01T10:00:00Z"}
    observation = {**ids, "type": "TOOL", "name": "get_order", "input": given, "output": result}
    [call], said = imported(tmp_path, observation, "langfuse")
    return call, said


def spanned(said):
    """Return a span in OTLP's form."""
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in said.items()]
    return {"traceId": "t1", "spanId": "s1", "name": "a span", "attributes": attributes}


FAILED = {**MESSAGE, "content": "Error: no such order", "status": "error"}
FAILURES = {
    "dumped": {"type": "tool", **FAILED},
    "message as printed": "content='Error: no such order' name='get_order' tool_call_id='c1' status='error'",
    "mcp": {"content": [{"type": "text", "text": "Error: no such order"}], "isError": True},
}


@pytest.mark.parametrize("form", FAILURES)
def test_what_the_wrapper_marks_as_failed_failed(form, tmp_path):
    call, _ = observed(tmp_path, {"order_id": "W1"}, FAILURES[form])
    assert (call.result, call.error) == ("Error: no such order", True)


@pytest.mark.parametrize(
    ("said", "result"),
    [('"It left today."', "It left today."), ("12.5", 12.5), ("null", None), ("It left", "It left")],
)
def test_vercel_writes_every_result_as_json(said, result, tmp_path):
    attributes = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "track", "ai.toolCall.args": "{}"}
    [call], _ = imported(tmp_path, spanned({**attributes, "ai.toolCall.result": said}))
    assert call.result == result


CALLBACK = {"output": FORMS["lc"], "kwargs": {"color": "green"}}
GIVEN = {
    "a callback's inputs": {"input_str": "?", "inputs": {"order_id": "W1"}, "tags": [], "kwargs": {}},
    "a callback's text": {"input_str": "{'order_id': 'W1'}", "inputs": None, "metadata": {}},
    "a decorated function": {"args": [], "kwargs": {"order_id": "W1"}},
}


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("result", [CALLBACK, ORDER], ids=["callback", "plain"])
def test_what_callbacks_were_given_is_not_the_payload(given, result, tmp_path):
    span = {
        "traceloop.span.kind": "tool",
        "traceloop.entity.name": "get_order",
        "traceloop.entity.input": json.dumps(GIVEN[given]),
        "traceloop.entity.output": json.dumps(result),
    }
    [call], _ = imported(tmp_path, spanned(span))
    assert (call.tool, call.arguments, call.result) == ("get_order", {"order_id": "W1"}, ORDER)


@pytest.mark.parametrize(
    "result",
    [
        {"output": json.dumps(ORDER)},
        {"output": FORMS["lc"], "kwargs": {}},
        {"messages": [FORMS["dumped"]], "jump_to": None},
    ],
)
def test_a_result_that_looks_wrapped_is_reported(result, tmp_path):
    _, [said] = observed(tmp_path, {"order_id": "W1"}, result)
    assert said.startswith("1 result still looks like a framework's wrapper (first a call of get_order): ")


@pytest.mark.parametrize(
    "given",
    [
        {"input": {"order_id": "W1"}},
        {"args": [], "kwargs": {"order_id": "W1"}},
        {"input_str": "W1", "tags": [], "metadata": {}},
    ],
)
def test_arguments_that_look_wrapped_are_reported(given, tmp_path):
    _, [said] = observed(tmp_path, given, ORDER)
    assert said.startswith("1 call's arguments still look like a framework's wrapper")


def test_truncated_results_are_reported(tmp_path):
    _, [said] = observed(tmp_path, {}, json.dumps(ORDER)[:20])
    assert said.startswith("1 result is an object or a list that was cut short")


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ({"order_id": "W1"}, ORDER),
        ({"input": "W1"}, {"result": ORDER}),
        ({"kwargs": "x", "order_id": "W1"}, {"output": 1, "code": 0}),
    ],
)
def test_plain_calls_give_no_warning(given, result, tmp_path):
    assert observed(tmp_path, given, result)[1] == []


@pytest.mark.parametrize(
    ("response", "results"),
    [
        ('{"result": [1, 2]}', [[1, 2]]),
        ('{"result": {"total": 5}}', [{"result": {"total": 5}}]),
        ('{"result": 5, "unit": "EUR"}', [{"result": 5, "unit": "EUR"}]),
        ("{}", []),
    ],
)
def test_google_adk_puts_what_is_no_object_into_one(response, results, tmp_path):
    said = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "list_stock",
        "gen_ai.conversation.id": "c1",
        "gcp.vertex.agent.event_id": "e1",
        "gcp.vertex.agent.tool_call_args": '{"limit": 2}',
        "gcp.vertex.agent.tool_response": response,
    }
    calls, remarks = imported(tmp_path, spanned(said))
    assert [(call.arguments, call.result) for call in calls] == [({"limit": 2}, result) for result in results]
    assert bool(remarks) == (not results)
