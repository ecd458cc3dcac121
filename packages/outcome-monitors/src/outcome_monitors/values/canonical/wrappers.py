"""What frameworks put around a result: their messages, as objects, as they write themselves and as Python prints them."""

import ast
import re
from collections.abc import Mapping
from typing import Any

from .blocks import are_blocks, is_block, of_blocks, of_mcp, said_by_blocks

__all__ = ["HOLDERS", "held_by", "of_response", "opened", "printed_message"]

HOLDERS: Mapping[str, str] = {
    "AgentText": "",
    "CallToolResult": "",
    "Command": "",
    "ToolMessage": "",
    "FunctionMessage": "content",
    "ToolOutput": "raw_output",
    "ToolReturn": "return_value",
    "ToolReturnPart": "content",
}
"""Classes of frameworks, by name, and the attribute that holds the result; those without one are opened below."""

_PRINTED = re.compile(
    r"content=(?P<content>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?= (?:name|tool_call_id|id|artifact|status)=)"
)


def held_by(value: Any) -> tuple[Any] | None:
    """Return what an object of a framework holds, in a tuple; None of all other objects."""
    name = type(value).__name__
    attribute = HOLDERS.get(name)
    if attribute is None:
        return None
    if attribute:
        return (getattr(value, attribute),) if hasattr(value, attribute) else None
    return {"ToolMessage": _message, "Command": _command, "CallToolResult": _mcp}.get(name, _nothing)(value)


def _nothing(_value: Any) -> None:
    return None


def _message(value: Any) -> tuple[Any] | None:
    if not hasattr(value, "tool_call_id"):
        return None
    artifact = getattr(value, "artifact", None)
    return (_with_artifact(value.content, artifact),)


def _with_artifact(content: Any, artifact: Any) -> Any:
    """Return what a message says; langchain-mcp-adapters keep the structured content beside it."""
    if isinstance(artifact, dict) and artifact.get("structured_content") is not None:
        blocks = [{"type": "text", "text": content}] if type(content) is str else content
        return of_mcp({"structuredContent": artifact["structured_content"], "content": blocks})
    return said_by_blocks(content)


def _command(value: Any) -> tuple[Any] | None:
    """Return the last message of a tool among those that a LangGraph command adds."""
    update = getattr(value, "update", None)
    messages = update.get("messages") if isinstance(update, dict) else None
    for message in reversed(messages if isinstance(messages, list) else []):
        found = held_by(message) if type(message).__name__ == "ToolMessage" else None
        if found is not None:
            return found
    return None


def _mcp(value: Any) -> tuple[Any] | None:
    dump = getattr(value, "model_dump", None)
    found = dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else None
    return (of_mcp(found),) if isinstance(found, dict) else None


def opened(value: Any) -> Any:
    """Return what a decoded value holds where it is a wrapper as frameworks write it; else the value itself."""
    if type(value) is list:
        return of_blocks(value) if are_blocks(value) else value
    if "lc" in value:
        return _constructed(value)
    if "content" in value:
        return _answer(value)
    if "type" in value:
        return _typed(value)
    return value


def _constructed(value: dict[str, Any]) -> Any:
    """Open LangChain's form of its own objects, where it is a tool's message."""
    names, given = value.get("id"), value.get("kwargs")
    if type(names) is list and names[-1:] == ["ToolMessage"] and type(given) is dict and "content" in given:
        return _with_artifact(given["content"], given.get("artifact"))
    return value


def _answer(value: dict[str, Any]) -> Any:
    """Open MCP's result, and a message of a tool that was dumped."""
    content = value["content"]
    if type(content) is list and ("isError" in value or "structuredContent" in value or "is_error" in value):
        return of_mcp(value) if all(map(is_block, content)) else value
    if value.get("type") == "tool" and "tool_call_id" in value:
        return _with_artifact(content, value.get("artifact"))
    if value.get("role") == "tool" and "tool_call_id" in value:
        return said_by_blocks(content)
    return value


def _typed(value: dict[str, Any]) -> Any:
    """Open a block that stands alone, and a message as `messages_to_dict` writes it."""
    data = value.get("data")
    if value["type"] == "tool" and type(data) is dict and "content" in data and "tool_call_id" in data:
        return _with_artifact(data["content"], data.get("artifact"))
    return of_blocks([value]) if is_block(value) else value


def printed_message(text: str) -> str:
    """Return the content of a LangChain message that Python has printed; the text itself where it is none."""
    if not text.startswith("content="):
        return text
    found = _PRINTED.match(text)
    if found is None or "tool_call_id=" not in text[found.end() :]:
        return text
    try:
        content = ast.literal_eval(found["content"])
    except (MemoryError, SyntaxError, ValueError):
        return text
    return content if type(content) is str else text


def of_response(response: Any) -> Any:
    """Return what a function gave where its framework answers models with objects alone: what is none stands in one, as `result`."""
    if type(response) is dict and len(response) == 1 and "result" in response:
        inner = response["result"]
        return response if isinstance(inner, Mapping) else inner
    return response
