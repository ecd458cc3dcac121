"""Calls written as each source writes them: the forms are those of the fixtures, which the libraries themselves emit."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from outcome_monitors import Call

__all__ = ["EXPORTS"]

Lines = Iterator[Any]


def _message(number: int, call: Call) -> dict[str, Any]:
    """LangChain's message of a tool."""
    return {
        "content": json.dumps(call.result),
        "type": "tool",
        "name": call.tool,
        "tool_call_id": f"c{number}",
        "status": "success",
        "artifact": None,
    }


def _constructed(number: int, call: Call) -> dict[str, Any]:
    names = ["langchain", "schema", "messages", "ToolMessage"]
    return {"lc": 1, "type": "constructor", "id": names, "kwargs": _message(number, call)}


def _span(number: int, call: Call, said: dict[str, str]) -> dict[str, Any]:
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in said.items()]
    span = {
        "traceId": f"t-{call.session}",
        "spanId": f"s{number}",
        "name": f"execute_tool {call.tool}",
        "startTimeUnixNano": str(1_794_739_387_803_260_838 + number),
        "attributes": [*attributes, {"key": "session.id", "value": {"stringValue": call.session}}],
    }
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def _adk(number: int, call: Call) -> dict[str, str]:
    """Google ADK's spans: what is no object is put into one."""
    response = call.result if isinstance(call.result, dict) else {"result": call.result}
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.call.id": f"adk-{number}",
        "gcp.vertex.agent.event_id": f"e{number}",
        "gcp.vertex.agent.tool_call_args": json.dumps(call.arguments),
        "gcp.vertex.agent.tool_response": json.dumps(response),
    }


def _traceloop(number: int, call: Call) -> dict[str, str]:
    given = {"input_str": str(call.arguments), "tags": [], "metadata": {}, "inputs": dict(call.arguments)}
    result = {"output": _constructed(number, call), "kwargs": {"color": "green"}}
    return {
        "traceloop.span.kind": "tool",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.call.arguments": json.dumps({**given, "kwargs": {}}),
        "gen_ai.tool.call.result": json.dumps(result),
    }


SPANS: dict[str, Callable[[int, Call], dict[str, str]]] = {
    "adk": _adk,
    "traceloop": _traceloop,
    "otel": lambda _, call: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.tool,
        "gen_ai.tool.call.arguments": json.dumps(call.arguments),
        "gen_ai.tool.call.result": json.dumps(call.result),
    },
    "openinference": lambda number, call: {
        "openinference.span.kind": "TOOL",
        "tool.name": call.tool,
        "input.value": json.dumps(call.arguments),
        "output.value": json.dumps({"type": "tool", "data": _message(number, call)}),
    },
    "vercel": lambda _, call: {
        "ai.operationId": "ai.toolCall",
        "ai.toolCall.name": call.tool,
        "ai.toolCall.args": json.dumps(call.arguments),
        "ai.toolCall.result": json.dumps(call.result),
    },
    "logfire": lambda _, call: {
        "logfire.span_type": "span",
        "logfire.msg_template": "Function: {name}",
        "name": call.tool,
        "input": json.dumps(call.arguments),
        "output": json.dumps(call.result),
    },
}
"""The attributes of each instrumentation's spans."""


def _spans(said: Callable[[int, Call], dict[str, str]]) -> Callable[[Iterable[Call]], Lines]:
    return lambda calls: (_span(number, call, said(number, call)) for number, call in enumerate(calls))


def langfuse(calls: Iterable[Call]) -> Lines:
    for number, call in enumerate(calls):
        yield {
            "id": f"o{number}",
            "traceId": f"t-{call.session}",
            "sessionId": call.session,
            "type": "TOOL",
            "name": call.tool,
            "input": dict(call.arguments),
            "output": {**_message(number, call), "additional_kwargs": {}, "response_metadata": {}},
            "startTime": f"2026-03-01T10:00:00.{number:06}Z",
        }


def langsmith(calls: Iterable[Call]) -> Lines:
    for number, call in enumerate(calls):
        yield {
            "id": f"r{number}",
            "trace_id": f"t-{call.session}",
            "run_type": "tool",
            "name": call.tool,
            "start_time": f"2026-03-01T10:00:00.{number:06}Z",
            "extra": {"metadata": {"thread_id": call.session}},
            "inputs": {"input": str(json.dumps(call.arguments))},
            "outputs": {"output": _constructed(number, call)},
        }


def mlflow(calls: Iterable[Call]) -> Lines:
    for number, call in enumerate(calls):
        span = {
            "trace_id": f"t-{call.session}",
            "span_id": f"s{number}",
            "name": call.tool,
            "start_time_unix_nano": 1_794_739_387_803_260_838 + number,
            "status": {"code": "STATUS_CODE_OK"},
            "attributes": {
                "mlflow.spanType": '"TOOL"',
                "mlflow.spanInputs": json.dumps(call.arguments),
                "mlflow.spanOutputs": json.dumps(_message(number, call)),
            },
        }
        yield {
            "info": {"trace_metadata": {"mlflow.trace.session": call.session}},
            "data": {"spans": [span]},
        }


def agents(calls: Iterable[Call]) -> Lines:
    for number, call in enumerate(calls):
        trace = f"trace_{call.session}"
        yield {"object": "trace", "id": trace, "group_id": call.session}
        data = {
            "type": "function",
            "name": call.tool,
            "input": json.dumps(call.arguments),
            # As Python prints it: so the SDK does.
            "output": str(call.result),
        }
        yield {
            "object": "trace.span",
            "id": f"span_{number}",
            "trace_id": trace,
            "started_at": f"2026-03-01T10:00:00.{number:06}+00:00",
            "span_data": data,
            "error": None,
        }


def _asked(number: int, call: Call) -> dict[str, Any]:
    function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
    return {"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]}


def openai(calls: Iterable[Call]) -> Lines:
    """A gateway's log: the answer asks, the next request has the result."""
    for number, call in enumerate(calls):
        answer = {"object": "chat.completion", "choices": [{"message": _asked(number, call)}]}
        told = {"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(call.result)}
        then = {"messages": [_asked(number, call), told], "metadata": {"session_id": call.session}}
        first = {"messages": [], "metadata": {"session_id": call.session}}
        yield {"request": {"body": json.dumps(first)}, "response": {"body": json.dumps(answer)}}
        yield {"request": {"body": json.dumps(then)}, "response": {"body": "{}"}}


def codex(calls: Iterable[Call]) -> Lines:
    for number, call in enumerate(calls):
        yield {"type": "session_meta", "payload": {"id": call.session}}
        asked = {"type": "function_call", "name": call.tool, "call_id": f"c{number}"}
        yield {"type": "response_item", "payload": {**asked, "arguments": json.dumps(call.arguments)}}
        blocks = json.dumps([{"type": "text", "text": json.dumps(call.result)}])
        output = {"type": "function_call_output", "call_id": f"c{number}", "output": blocks}
        yield {"type": "response_item", "payload": output}


def anthropic(calls: Iterable[Call]) -> Lines:
    """Claude Code's session log."""
    for number, call in enumerate(calls):
        asked = {"type": "tool_use", "id": f"c{number}", "name": call.tool, "input": dict(call.arguments)}
        block = {"type": "text", "text": json.dumps(call.result)}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": [block]}
        for kind, content in (("assistant", asked), ("user", result)):
            yield {
                "type": kind,
                "sessionId": call.session,
                "message": {"role": kind, "content": [content]},
            }


def langchain(calls: Iterable[Call]) -> Lines:
    """The messages of a conversation a line, as `messages_to_dict` writes them."""
    for number, call in enumerate(calls):
        asked = {"name": call.tool, "args": dict(call.arguments), "id": f"c{number}"}
        yield [
            {"type": "human", "data": {"content": "Go on."}},
            {"type": "ai", "data": {"content": "", "tool_calls": [asked]}},
            {"type": "tool", "data": _message(number, call)},
        ]


def mcp(calls: Iterable[Call]) -> Lines:
    for number, call in enumerate(calls):
        params = {"name": call.tool, "arguments": dict(call.arguments)}
        ask = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        blocks = [{"type": "text", "text": json.dumps(call.result)}]
        answer = {"jsonrpc": "2.0", "id": number, "result": {"content": blocks}}
        yield from ({"session": call.session, "message": message} for message in (ask, answer))


def phoenix(calls: Iterable[Call]) -> Lines:
    for number, call in enumerate(calls):
        output = call.result if isinstance(call.result, dict) else {"output": call.result}
        yield {
            "id": f"e{number}",
            "input": dict(call.arguments),
            "output": output,
            "metadata": {"tool": call.tool, "span_kind": "TOOL"},
        }


EXPORTS: dict[str, Callable[[Iterable[Call]], Lines]] = {
    **{name: _spans(said) for name, said in SPANS.items()},
    **{
        write.__name__: write
        for write in (agents, anthropic, codex, langchain, langfuse, langsmith, mcp, mlflow, openai, phoenix)
    },
}
"""Each source, and what writes its lines; `adk` is read as `otel`, `codex` as `openai`."""
