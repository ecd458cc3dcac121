"""What of a `tools/call` answer is the result to check, or why there is none."""

from typing import Any, NamedTuple

from outcome_monitors.model import Json
from outcome_monitors.values.canonical.wrappers import are_blocks, of_mcp

__all__ = ["Result", "result_of", "task_of"]

ERROR = "the server answered with an error"
IS_ERROR = "the result says that the call failed"
UNFINISHED = "the result is not final"
ODD = "the answer is not a tool result"
NOT_JSON = "the content is not JSON"
EMPTY = "the content is empty"
SENSES = "the content is a picture or a sound"


_SENSES = frozenset(("audio", "image"))


class Result(NamedTuple):
    """A result, or why there is none to check."""

    value: Json = None
    why: str = ""
    failed: bool = False
    """The call failed openly."""


def result_of(message: dict[str, Any]) -> Result:
    """Return the result that an answer to `tools/call` or to `tasks/result` carries, in its canonical form.

    Structured content is the result where there is any, else what the blocks say. A task that was only begun, and a
    question back to the client, are no results yet.
    """
    if "error" in message:
        return Result(message["error"], ERROR, failed=True)
    result = message.get("result")
    if not isinstance(result, dict):
        return Result(why=ODD)
    if result.get("isError") is True:
        return Result(result.get("content"), IS_ERROR, failed=True)
    if result.get("resultType") not in (None, "complete") or "task" in result:
        return Result(why=UNFINISHED)
    if result.get("structuredContent") is None and not _says_something(result.get("content")):
        return Result(why=_unreadable(result.get("content")))
    return Result(of_mcp(result))


def _says_something(content: Any) -> bool:
    """Say whether content is of blocks, one of which is more than a picture or a sound."""
    return are_blocks(content) and any(block["type"] not in _SENSES for block in content)


def _unreadable(content: Any) -> str:
    """Say why there is nothing to check in content."""
    if not content:
        return EMPTY
    return SENSES if are_blocks(content) else NOT_JSON


def task_of(message: dict[str, Any]) -> str | None:
    """Return the id of the task that a call has only begun, if it has."""
    result = message.get("result")
    if type(result) is not dict or "task" not in result:
        return None
    task = result["task"]
    number = task.get("taskId") if isinstance(task, dict) else None
    return number if isinstance(number, str) else None
