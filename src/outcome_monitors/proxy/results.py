"""What of a `tools/call` answer is the result to check, or why there is none."""

import json
from typing import Any, NamedTuple

from outcome_monitors.model import Json

__all__ = ["Result", "result_of"]

ERROR = "the server answered with an error"
IS_ERROR = "the result says that the call failed"
UNFINISHED = "the result is not final"
ODD = "the answer is not a tool result"
NOT_JSON = "the content is not JSON"
SEVERAL = "the content is several texts"


class Result(NamedTuple):
    """A result, or why there is none to check."""

    value: Json = None
    why: str = ""
    failed: bool = False
    """The call failed openly."""


def result_of(message: dict[str, Any]) -> Result:
    """Return the result that an answer to `tools/call` carries.

    Structured content is the result where there is any, else the one text, where it is a JSON object or list. A task
    that was only begun, and a question back to the client, are no results yet.
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
    if result.get("structuredContent") is not None:
        return Result(result["structuredContent"])
    return _from_text(result.get("content"))


def _from_text(content: Any) -> Result:
    blocks = content if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    if len(texts) != 1:
        return Result(why=SEVERAL if texts else NOT_JSON)
    text = texts[0]
    # A number or a bare word may be JSON by chance; an object or a list is not.
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "["):
        return Result(why=NOT_JSON)
    try:
        return Result(json.loads(text))
    except (ValueError, RecursionError):
        return Result(why=NOT_JSON)
