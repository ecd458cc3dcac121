"""What a framework has put around a result says more than the result: which call it answers, and that it failed."""

import re

from outcome_monitors.model import Json

__all__ = ["call_id_of", "says_failure"]

_PRINTED_FAILURE = re.compile(r"content=.* tool_call_id='[^']*'.* status='error'", re.DOTALL)


def call_id_of(result: Json) -> str | None:
    """Return the id of the call that a message of a tool answers."""
    call_id = _message(result).get("tool_call_id")
    return call_id if isinstance(call_id, str) else None


def says_failure(result: Json) -> bool:
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
    for key, kind in (("kwargs", "constructor"), ("data", "tool")):
        inner = result.get(key)
        if result.get("type") == kind and isinstance(inner, dict):
            return inner
    return result
