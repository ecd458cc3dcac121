"""Content blocks, as MCP and the chat APIs have them: texts, pictures, resources, and links to some."""

from collections.abc import Mapping
from typing import Any

from .texts import read_text

__all__ = ["TYPES", "are_blocks", "is_block", "of_blocks", "of_mcp", "said_by_blocks"]

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
    said = [_said(block) for block in blocks]
    return said[0] if len(said) == 1 else said


def said_by_blocks(content: Any) -> Any:
    """Return what a message's content says: a text, or blocks, of which some may be bare texts; anything else as it is."""
    if type(content) is str:
        return read_text(content)
    if type(content) is not list or not content:
        return content
    if not all(type(block) is str or is_block(block) for block in content):
        return content
    return of_blocks([{"type": "text", "text": item} if type(item) is str else item for item in content])


def _said(block: dict[str, Any]) -> Any:
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
        return said_by_blocks(content)
    if (
        type(structured) is dict
        and list(structured) == ["result"]
        and _is_said(structured["result"], content)
    ):
        inner = structured["result"]
        return read_text(inner) if type(inner) is str else inner
    return structured


def _is_said(value: Any, content: Any) -> bool:
    """Say whether blocks say the same as a value: as one, or one for each of its items."""
    if type(content) is not list or not all(map(is_block, content)):
        return False
    texts = [block["text"] for block in content if block["type"] in _TEXTS]
    if type(value) is list and len(texts) == len(value) and all(map(_same, value, texts)):
        return True
    return len(texts) == 1 and _same(value, texts[0])


def _same(value: Any, text: str) -> bool:
    """Say whether a text is how JSON or Python writes a value."""
    if type(value) is str:
        return value == text
    found = read_text(text)
    if found is not text:
        return bool(found == value)
    return text in (repr(value), str(value).lower(), "null" if value is None else "")
