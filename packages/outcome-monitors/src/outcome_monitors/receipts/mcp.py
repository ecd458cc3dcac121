"""How a receipt travels inside an MCP result.

Clients differ in what they show their model: some the text blocks, some the structured content, almost none `_meta`. So a
receipt goes twice unless told otherwise: as a text block behind the others, and, where the tool's output schema allows
it, as the optional property `outcome_contract` of the structured content.

Clients throw away a result that breaks its own output schema, and show their model an error instead. Content of calls that failed is held
against nothing: so such a result is marked as one, and arrives with its receipt.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from outcome_monitors.jsonvalue.splice import Insertion, TextSpan, members
from outcome_monitors.model import Json

from .carriers import KEY, paragraph

__all__ = [
    "CARRIERS",
    "DEFAULT_CARRIER",
    "DESCRIPTION",
    "KEY",
    "attach",
    "declare",
    "must_declare",
    "takes_receipt",
]

META_KEY = "outcome-monitors/outcome_contract"
CARRIERS: Mapping[str, str] = {
    "both": "a text block, and structured content where the output schema allows it",
    "text": "a text block alone",
    "structured": "structured content; a text block where the output schema does not allow it",
    "meta": "`_meta`, which hardly any client shows its model",
}
"""The ways a receipt can travel."""
DEFAULT_CARRIER = "both"

# With one of these at its root, a schema may refuse a further property, declared or not.
_NOT_PLAIN = frozenset(
    """
    $ref $dynamicRef $recursiveRef allOf anyOf oneOf not if then else const enum unevaluatedProperties
    propertyNames patternProperties maxProperties dependentSchemas dependencies
    """.split()  # noqa: SIM905 - words read better as words
)
DESCRIPTION = (
    "Present only where this result is inconsistent with what is known of the tool's results; says how."
)


def takes_receipt(schema: Any) -> bool:
    """Say whether structured content may hold a receipt: its schema is that of a plain object, which is open, or declares it."""
    return (
        isinstance(schema, dict)
        and schema.get("type") == "object"
        and not _NOT_PLAIN & schema.keys()
        and isinstance(properties := schema.get("properties", {}), dict)
        and KEY not in properties
        # Of a schema without properties, some clients make another type if it gets one.
        and (_is_open(schema) or bool(properties))
    )


def must_declare(schema: Any) -> bool:
    """Say whether a schema takes a receipt only where it declares it."""
    return takes_receipt(schema) and not _is_open(schema)


def _is_open(schema: dict[str, Any]) -> bool:
    return schema.get("additionalProperties", True) in (True, {})


def declare(text: str, schema: TextSpan, *, as_text: bool) -> Insertion:
    """Return what declares the property in an output schema that must declare it."""
    says = {KEY: {"type": "string" if as_text else "object", "description": DESCRIPTION}}
    return _into(text, members(text, schema)["properties"], json.dumps(says)[1:-1])


def attach(
    text: str, result: TextSpan, receipt: Json, carrier: str, *, structured: bool, refused: bool = False
) -> Iterator[Insertion]:
    """Yield what puts a receipt into a result.

    `structured` says whether its structured content may hold it, `refused` whether that breaks its output schema.
    """
    found = members(text, result)
    if refused and "isError" in found:
        start, end = found["isError"]
        if text[start:end] == "false":
            yield Insertion(start, "true", end - start)
    elif refused:
        yield _into(text, result, '"isError": true')
    content, object_ = found.get("content"), found.get("structuredContent")
    structured = (
        structured
        and object_ is not None
        and text[object_.start] == "{"
        and KEY not in members(text, object_)
    )
    in_text = carrier in ("both", "text") or (carrier == "structured" and not structured)
    if in_text and content is not None and text[content.start] == "[":
        yield _into(text, content, json.dumps({"type": "text", "text": paragraph(receipt)}))
    elif in_text and content is None:
        yield _into(text, result, f'"content": [{json.dumps({"type": "text", "text": paragraph(receipt)})}]')
    if structured and carrier in ("both", "structured"):
        assert object_ is not None
        yield _into(text, object_, json.dumps({KEY: receipt})[1:-1])
    if carrier == "meta":
        yield from _meta(text, result, found.get("_meta"), receipt)


def _meta(text: str, result: TextSpan, meta: TextSpan | None, receipt: Json) -> Iterator[Insertion]:
    if meta is None:
        yield _into(text, result, json.dumps({"_meta": {META_KEY: receipt}})[1:-1])
    elif text[meta.start] == "{":
        yield _into(text, meta, json.dumps({META_KEY: receipt})[1:-1])


def _into(text: str, container: TextSpan, what: str) -> Insertion:
    """Put something behind the last entry of an object or a list."""
    empty = not text[container.start + 1 : container.end - 1].strip()
    return Insertion(container.end - 1, what if empty else f", {what}")
