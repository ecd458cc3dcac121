"""What stands around a result: content blocks of MCP and the chat APIs, and messages of frameworks, printed ones too."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from .texts import read_text

TYPES = frozenset(
    """
    audio blob document file image image_url input_file input_image input_text output_text resource resource_link text
    """.split()  # noqa: SIM905 - words read better as words
)
_TEXTS = ("text", "input_text", "output_text")
_LEFT_OUT = frozenset(("_meta", "annotations", "audio", "blob", "data", "image_url", "meta"))
_OWN = frozenset(
    """
    _meta annotations audio blob cache_control citations data description detail file file_id filename id image_url index meta mimeType
    mime_type name resource size source text title type uri
    """.split()  # noqa: SIM905 - as above
)
"""The fields that a block may have: an object with others is an object of the tool's own."""


def is_block(value: Any) -> bool:
    """Say whether a value is a content block."""
    if type(value) is not dict or not _OWN.issuperset(value):
        return False
    kind = value.get("type")
    if type(kind) is not str or kind not in TYPES:
        return False
    return type(value.get("text")) is str if kind in _TEXTS else len(value) > 1


def are_blocks(value: Any) -> bool:
    """Say whether a value is a list of content blocks."""
    return type(value) is list and bool(value) and is_block(value[0]) and all(map(is_block, value))


def of_blocks(blocks: list[Any]) -> Any:
    """Return what blocks say: one alone as itself, several as a list. Of pictures and sounds only the sort is told."""
    said = [_content_of(block) for block in blocks]
    return said[0] if len(said) == 1 else said


def content_of_blocks(content: Any) -> Any:
    """Return what a message's content says: a text, or blocks, of which some may be bare texts; anything else as it is."""
    if type(content) is str:
        return read_text(content)
    if type(content) is not list or not content:
        return content
    if not all(type(block) is str or is_block(block) for block in content):
        return content
    return of_blocks([{"type": "text", "text": item} if type(item) is str else item for item in content])


def _content_of(block: dict[str, Any]) -> Any:
    if block["type"] in _TEXTS:
        return read_text(block["text"])
    resource = block.get("resource")
    if isinstance(resource, dict) and type(resource.get("text")) is str:
        return read_text(resource["text"])
    return _without_bytes(block)


def _without_bytes(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block that is no text without what is said of it, and without its bytes."""
    kept = ((key, value) for key, value in block.items() if key not in _LEFT_OUT)
    return {key: _without_bytes(value) if type(value) is dict else value for key, value in kept}


def of_mcp(result: Mapping[str, Any]) -> Any:
    """Return what the result of MCP's `tools/call` says: its structured content, else its blocks.

    SDKs put what is no object into one, as `result`, and the thing itself into the blocks: then it is the thing that is meant.
    """
    structured, content = (
        result.get("structuredContent", result.get("structured_content")),
        result.get("content"),
    )
    if structured is None:
        return content_of_blocks(content)
    if (
        type(structured) is dict
        and list(structured) == ["result"]
        and _repeats(structured["result"], content)
    ):
        inner = structured["result"]
        return read_text(inner) if type(inner) is str else inner
    return structured


def _repeats(value: Any, content: Any) -> bool:
    """Say whether blocks say the same as a value: as one, or one for each of its items."""
    if type(content) is not list or not all(map(is_block, content)):
        return False
    texts = [block["text"] for block in content if block["type"] in _TEXTS]
    if type(value) is list and len(texts) == len(value) and all(map(_same, value, texts)):
        return True
    return _same(value, texts[0]) if len(texts) == 1 else value is None and not texts


def _same(value: Any, text: str) -> bool:
    """Say whether a text is how JSON or Python writes a value."""
    if type(value) is str:
        return text in (value, json.dumps(value))
    found = read_text(text)
    if found is not text:
        return bool(found == value)
    return text in (repr(value), str(value).lower(), "null" if value is None else "")


_ATTRIBUTES: Mapping[str, str] = {
    "FunctionMessage": "content",
    "ToolOutput": "raw_output",
    "ToolReturn": "return_value",
    "ToolReturnPart": "content",
}
"""Classes of frameworks, by name, and the attribute that holds the result."""

_PRINTED = re.compile(
    r"content=(?P<content>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")(?= (?:name|tool_call_id|id|artifact|status)=)"
)


def held_by(value: Any) -> tuple[Any] | None:
    """Return what an object of a framework holds, in a tuple; None of all other objects."""
    name = type(value).__name__
    if name in _ATTRIBUTES and hasattr(value, _ATTRIBUTES[name]):
        return (getattr(value, _ATTRIBUTES[name]),)
    if name == "ToolMessage" and hasattr(value, "tool_call_id"):
        return (_with_artifact(value.content, getattr(value, "artifact", None)),)
    if name == "Command":
        # The last message of a tool among those that a LangGraph command adds.
        update = getattr(value, "update", None)
        messages = update.get("messages") if isinstance(update, dict) else None
        last_first = reversed(messages if isinstance(messages, list) else [])
        of_tools = (one for one in last_first if type(one).__name__ == "ToolMessage")
        return next(filter(None, map(held_by, of_tools)), None)
    dump = getattr(value, "model_dump", None) if name == "CallToolResult" else None
    found = dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else None
    return (of_mcp(found),) if isinstance(found, dict) else None


def _with_artifact(content: Any, artifact: Any) -> Any:
    """Return what a message says; langchain-mcp-adapters keep the structured content beside it."""
    if isinstance(artifact, dict) and artifact.get("structured_content") is not None:
        blocks = [{"type": "text", "text": content}] if type(content) is str else content
        return of_mcp({"structuredContent": artifact["structured_content"], "content": blocks})
    return content_of_blocks(content)


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
        return content_of_blocks(content)
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
