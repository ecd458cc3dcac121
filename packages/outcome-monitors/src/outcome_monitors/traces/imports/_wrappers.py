"""What frameworks put around payloads: it is taken off as the last step of every import, and said where it seems to be left."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from outcome_monitors.model import Call, Json
from outcome_monitors.traces.line_text import WrittenJson
from outcome_monitors.values.canonical import NOT_JSON, of_decoded

from ._tally import ImportTally, Reason
from ._values import parsed

__all__ = ["OpenedArguments", "OpenedResult", "call_id_of", "opened_arguments", "opened_result", "unwrapped"]

AROUND_RESULTS = frozenset(("content", "generations", "output", "outputs", "return_value", "tool_output"))
"""A field that, alone, is more often a framework's than a tool's."""
OF_MESSAGES = frozenset(("additional_kwargs", "lc", "lc_kwargs", "response_metadata", "tool_call_id"))
"""Fields that no tool has."""
AROUND_ARGUMENTS = frozenset(
    ("__arg1", "args", "arguments", "input", "input_str", "inputs", "kwargs", "tool_input")
)

_PRINTED = re.compile(r"content=['\"\[]|\w*ToolMessage\(|TextContent\(|\[TextContent\(|CallToolResult\(")
_PRINTED_FAILURE = re.compile(r"content=.* tool_call_id='[^']*'.* status='error'", re.DOTALL)


WRAPPED_RESULT = Reason(
    "result still looks like a framework's wrapper",
    "results still look like a framework's wrappers",
    "hold the call that is shown against what the tool returns; contracts of wrappers flag every clean result",
    lost=False,
)
WRAPPED_ARGUMENTS = Reason(
    "call's arguments still look like a framework's wrapper",
    "calls' arguments still look like a framework's wrappers",
    "hold the call that is shown against what the tool is given",
    lost=False,
)
CUT_RESULT = Reason(
    "result is an object or a list that was cut short",
    "results are objects or lists that were cut short",
    "raise the limit on what is recorded (OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT for OpenTelemetry's SDKs) and record again",
    lost=False,
)


def call_id_of(result: Json) -> str | None:
    """Return the id of the call that a message of a tool answers."""
    call_id = _message(result).get("tool_call_id")
    return call_id if isinstance(call_id, str) else None


class OpenedArguments(NamedTuple):
    """Arguments, and whether they look as if something of a framework's were still around them."""

    value: Any
    wrapped: bool
    is_text: bool = False
    """The value is written as JSON already."""


class OpenedResult(NamedTuple):
    """A result in canonical form, and what was found out when it was opened."""

    value: Json
    changed: bool
    """It was in the wrapper of a framework, or printed by Python,"""
    failed: bool
    """which marks it as a failure."""
    looks: Reason | None
    """What seems to be left to do."""
    is_text: bool = False
    """The value is written as JSON already."""


def opened_arguments(arguments: Mapping[str, Json]) -> OpenedArguments:
    """Look at arguments."""
    return OpenedArguments(arguments, _arguments_look_wrapped(arguments))


def opened_result(result: Json) -> OpenedResult:
    """Take off a result what its framework has put around it."""
    value = of_decoded(result)
    changed = value is not result and value is not NOT_JSON
    value = value if changed else result
    looks = WRAPPED_RESULT if _result_looks_wrapped(value) else CUT_RESULT if _looks_cut(value) else None
    return OpenedResult(value, changed, changed and _says_failure(result), looks)


def unwrapped(call: Call, tally: ImportTally) -> Call:
    """Return a call with its result in canonical form, without what its framework has put around it."""
    given, returned = call.arguments, call.result
    arguments = given if isinstance(given, OpenedArguments) else opened_arguments(given)
    result = returned if isinstance(returned, OpenedResult) else opened_result(returned)
    failed = call.error or result.failed
    tally.unwrapped += result.changed
    if arguments.wrapped:
        tally.count(WRAPPED_ARGUMENTS, f"a call of {call.tool}")
    if result.looks is not None and not failed:
        tally.count(result.looks, f"a call of {call.tool}")
    if arguments.value is given and result.value is returned:
        return call
    given_now: Any = WrittenJson(arguments.value) if arguments.is_text else arguments.value
    return Call(
        call.tool,
        given_now,
        WrittenJson(result.value) if result.is_text else result.value,
        call.task,
        call.session,
        failed,
        call.tools,
        call.extra,
    )


def _says_failure(result: Json) -> bool:
    """Say whether a wrapper marks what it holds as a failure: a message of a tool, or MCP's result."""
    if isinstance(result, str):
        return _PRINTED_FAILURE.match(result) is not None
    message = _message(result)
    if "tool_call_id" in message:
        return message.get("status") == "error"
    return "content" in message and True in (message.get("isError"), message.get("is_error"))


def _message(result: Json) -> dict[str, Json]:
    """Return the fields of a message: those it was made of, those of its data, or its own."""
    if not isinstance(result, dict):
        return {}
    for key, marked in (("kwargs", "constructor"), ("data", "tool")):
        inner = result.get(key)
        if result.get("type") == marked and isinstance(inner, dict):
            return inner
    return result


def _result_looks_wrapped(result: Json) -> bool:
    """Say whether a result looks as if something of a framework's were still around it."""
    if isinstance(result, str):
        return _PRINTED.match(result) is not None
    if not isinstance(result, dict):
        return False
    if len(result) == 1 and not AROUND_RESULTS.isdisjoint(result):
        return True
    if not OF_MESSAGES.isdisjoint(result):
        return True
    # A loop: every result that is imported comes here.
    for value in result.values():
        one = value[0] if type(value) is list and value else value
        if type(one) is dict and not OF_MESSAGES.isdisjoint(one):
            return True
    return False


def _arguments_look_wrapped(arguments: Mapping[str, Json]) -> bool:
    """Say whether arguments look as if they stood inside those that a framework gave itself."""
    if not AROUND_ARGUMENTS.issuperset(arguments):
        return not OF_MESSAGES.isdisjoint(arguments) or "input_str" in arguments
    inner = [parsed(value) for value in arguments.values()]
    return bool(inner) and all(isinstance(value, (dict, list)) for value in inner)


def _looks_cut(result: Json) -> bool:
    """Say whether a result is a text that begins as an object or a list does, and does not end as one."""
    if not isinstance(result, str) or result[:2] not in ('{"', "[{", '["', "{'", "[["):
        return False
    return result.rstrip()[-1:] not in ("}", "]")
