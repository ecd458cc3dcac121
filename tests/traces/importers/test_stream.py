"""Answers that came piece by piece are read as if they had come whole."""

import json

import pytest

from outcome_monitors.traces.importers import import_traces

ORDER = {"order_id": "W1", "total": 12.5}
BLOCK = {"type": "tool_use", "id": "t1", "name": "get_order", "input": {}}
ANTHROPIC = [
    {"type": "message_start", "message": {"role": "assistant", "content": []}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let me see."}},
    {"type": "content_block_start", "index": 1, "content_block": BLOCK},
    *(
        {
            "type": "content_block_delta",
            "index": 1,
            "delta": {"type": "input_json_delta", "partial_json": part},
        }
        for part in ('{"ord', 'er_id": "W1"}')
    ),
    {"type": "message_stop"},
]
ASKED = {"type": "function_call", "call_id": "t1", "name": "get_order", "arguments": '{"order_id": "W1"}'}
RESPONSES = [
    {"type": "response.created", "response": {"id": "r1", "object": "response", "output": []}},
    {"type": "response.completed", "response": {"id": "r1", "object": "response", "output": [ASKED]}},
]
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": json.dumps(ORDER)}
OUTPUT = {"type": "function_call_output", "call_id": "t1", "output": json.dumps(ORDER)}
ANSWERS = {
    "anthropic": (ANTHROPIC, {"messages": [{"role": "user", "content": [RESULT]}]}),
    "openai": (RESPONSES, {"input": [OUTPUT]}),
}


def stream(events):
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


@pytest.mark.parametrize("source", ANSWERS)
def test_a_stream_is_the_answer_it_says(source, tmp_path):
    events, then = ANSWERS[source]
    lines = [
        {"request_body": {"messages": []}, "response_body": stream(events)},
        {"request_body": json.dumps(then), "response_body": "{}"},
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    [call] = import_traces([tmp_path / "log.jsonl"])
    assert (call.tool, call.arguments, call.result) == ("get_order", {"order_id": "W1"}, ORDER)


@pytest.mark.parametrize(
    "text",
    [
        "data: {",
        'data: {"choices": [1, {"delta": {"tool_calls": [{"index": [], "function": 3}]}}]}',
        'data: {"choices": [{"delta": {"tool_calls": {"index": 0}}}]}',
        'data: {"type": "message_start"}\n\ndata: {"index": {}, "delta": {"partial_json": 7}}',
        'data: {"type": "response.completed"}',
    ],
)
def test_streams_that_are_broken_are_passed_over(text, tmp_path):
    (tmp_path / "log.jsonl").write_text(json.dumps({"messages": [], "response": {"body": text}}) + "\n")
    assert list(import_traces([tmp_path / "log.jsonl"], "openai")) == []
    assert list(import_traces([tmp_path / "log.jsonl"], "anthropic")) == []
