"""Payloads as instrumentations write them: JSON inside strings, blocks of text, times in several forms, wrappers of frameworks."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from outcome_monitors.jsonvalue.canonical import NOT_JSON, canonical
from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Call, Json

from ._source import ImportTally, Reason

_SECOND = 1_000_000_000


def parsed(value: Json) -> Json:
    """Return what a string of JSON holds; anything else as it is.

    Only objects and lists are read: a number or a bare word may be JSON by chance.
    """
    return decoded(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else value


def decoded(value: Json) -> Json:
    """Return what a string holds that is known to be JSON, a bare text and a number too; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def arguments_of(value: Json) -> dict[str, Json] | None:
    """Return arguments as an object, `{}` for none, or nothing where their names are lost."""
    found = parsed(value)
    if isinstance(found, dict):
        return found
    return {} if found is None or found == "" else None


def content_of(value: Json) -> Json:
    """Return what a message's content says: a text, or blocks of which some are texts."""
    if not isinstance(value, list):
        return parsed(value)
    texts = [_text_of(block) for block in value]
    if not texts or any(text is None for text in texts):
        return value
    return parsed(texts[0]) if len(texts) == 1 else [parsed(text) for text in texts]


def _text_of(block: Json) -> str | None:
    text = block.get("text") if isinstance(block, dict) else block
    return text if isinstance(text, str) else None


def label(value: Json) -> str | None:
    """Return the name of a session or a task: a text or a number; nothing for anything else."""
    if isinstance(value, str):
        return value or None
    return str(value) if is_number(value) else None


def first_label(holder: Json, keys: Iterable[str]) -> str | None:
    """Return the first of several fields that is a label; nothing where there is none."""
    if not isinstance(holder, Mapping):
        return None
    return next((found for key in keys if (found := label(holder.get(key)))), None)


def named(tools: Json) -> tuple[str, ...] | None:
    """Return the names in a list of tools, each once; nothing where there are none."""
    listed = [tool for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
    return tuple(dict.fromkeys(tool["name"] for tool in listed if isinstance(tool.get("name"), str))) or None


def instant(value: Any) -> int | None:
    """Return a time in nanoseconds: from ISO 8601 text, or from a number of nanoseconds, as text or not."""
    if isinstance(value, str):
        if value.isascii() and value.isdigit():
            return int(value[:20]) or None
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return round(aware.timestamp() * 1_000_000) * 1000
    if is_number(value) and 0 < value < 1e20:
        # Pandas writes milliseconds, OTLP nanoseconds, some logs seconds: their ranges lie far apart.
        scale = next(scale for scale, most in _SCALES if value < most)
        return int(value * scale)
    return None


_SCALES = ((_SECOND, 1e11), (1_000_000, 1e14), (1000, 1e17), (1, 1e21))


def time_text(nanoseconds: int | None) -> str | None:
    """Write a time as ISO 8601, to the microsecond; nothing where it is none a calendar has."""
    if nanoseconds is None:
        return None
    try:
        moment = datetime.fromtimestamp(nanoseconds // _SECOND, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return moment.replace(microsecond=nanoseconds % _SECOND // 1000).isoformat().replace("+00:00", "Z")


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


def unwrapped(call: Call, tally: ImportTally) -> Call:
    """Return a call with its result in canonical form, without what its framework has put around it; count what seems to be left."""
    value = canonical(call.result)
    changed = value is not call.result and value is not NOT_JSON
    value = value if changed else call.result
    failed = call.error or (changed and _says_failure(call.result))
    tally.unwrapped += changed
    if _arguments_look_wrapped(call.arguments):
        tally.count(WRAPPED_ARGUMENTS, f"a call of {call.tool}")
    looks = WRAPPED_RESULT if _result_looks_wrapped(value) else CUT_RESULT if _looks_cut(value) else None
    if looks is not None and not failed:
        tally.count(looks, f"a call of {call.tool}")
    return replace(call, result=value, error=failed) if changed else call


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
