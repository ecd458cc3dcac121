"""The text of a trace line. Where one process has written the payloads of a call already, another puts the line around them."""

import json
from dataclasses import replace
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from outcome_monitors.model import Call, Json

__all__ = ["WrittenJson", "call_to_json", "decoded_call", "line_text"]


class WrittenJson(str):
    """A value that is written as JSON already."""

    __slots__ = ()


_FIELDS = frozenset(("tool", "arguments", "result", "task", "session", "error", "tools"))


def call_to_json(call: Call) -> dict[str, Json]:
    """Return the trace line of a call as an object; what says nothing is left out."""
    return {"tool": call.tool, "arguments": dict(call.arguments), "result": call.result, **_around(call)}


def _around(call: Call) -> dict[str, Json]:
    """Return what stands in a line behind the payloads."""
    line: dict[str, Json] = {}
    if call.task is not None:
        line["task"] = call.task
    if call.session is not None:
        line["session"] = call.session
    if call.extra:
        line.update((key, value) for key, value in call.extra.items() if key not in _FIELDS)
    if call.error:
        line["error"] = True
    if call.tools is not None:
        line["tools"] = list(call.tools)
    return line


def line_text(call: Call) -> str:
    """Return a call as it stands in a trace file, without the line's end."""
    # Written already or not: ASCII, since a result may hold half of a surrogate pair, which has no UTF-8 form.
    arguments: Any = call.arguments
    result = call.result
    if type(result) is not WrittenJson and type(arguments) is not WrittenJson:
        return json.dumps(call_to_json(call))
    given = arguments if isinstance(arguments, WrittenJson) else json.dumps(dict(arguments))
    returned = result if isinstance(result, WrittenJson) else json.dumps(result)
    # To write one object costs more than to write a few texts.
    rest = [f', "{key}": {_written(value)}' for key, value in _around(call).items()]
    return f'{{"tool": {quoted(call.tool)}, "arguments": {given}, "result": {returned}{"".join(rest)}}}'


def _written(value: Json) -> str:
    return quoted(value) if type(value) is str else json.dumps(value)


def decoded_call(call: Call) -> Call:
    """Return a call with its payloads as values, whatever was written of them already."""
    arguments: Any = call.arguments
    result = call.result
    if isinstance(arguments, WrittenJson):
        call = replace(call, arguments=json.loads(arguments))
    return replace(call, result=json.loads(result)) if isinstance(result, WrittenJson) else call
