"""Whether arguments fit a tool's input schema: the few JSON Schema words that the definitions use."""

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from ._schema import Schema

__all__ = ["misfit"]

_TYPES: dict[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}


def misfit(value: Any, schema: Schema, name: str = "the arguments") -> str | None:
    """Say in one sentence why a value does not fit, or None where it does."""
    expected = schema["type"]
    if not _is(value, expected):
        return f"{name} must be of type {expected}"
    if expected == "object":
        return _object_misfit(value, schema, name)
    if expected == "array":
        return _array_misfit(value, schema, name)
    if expected == "string":
        return _text_misfit(value, schema, name)
    if expected in {"integer", "number"} and not _within(value, schema):
        return f"{name} is out of range"
    return None


def _is(value: Any, expected: str) -> bool:
    return isinstance(value, _TYPES[expected]) and (expected == "boolean" or not isinstance(value, bool))


def _object_misfit(value: Mapping[str, Any], schema: Schema, name: str) -> str | None:
    properties: Mapping[str, Schema] = schema["properties"]
    for key in schema["required"]:
        if key not in value:
            return f"{key} is missing in {name}"
    for key, item in value.items():
        if key not in properties:
            return f"{key} is not known in {name}"
        found = misfit(item, properties[key], key)
        if found:
            return found
    return None


def _array_misfit(value: list[Any], schema: Schema, name: str) -> str | None:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return f"{name} has the wrong number of items"
    return next((f for item in value if (f := misfit(item, schema["items"], f"an item of {name}"))), None)


def _text_misfit(value: str, schema: Schema, name: str) -> str | None:
    if len(value) < schema.get("minLength", 0) or value not in schema.get("enum", [value]):
        return f"{name} is not one of the values allowed"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{name} does not have the form {schema['pattern']}"
    return f"{name} is not a date" if schema.get("format") == "date" and not _is_date(value) else None


def _is_date(value: str) -> bool:
    try:
        year = date.fromisoformat(value).year
    except ValueError:
        return False
    # Days are shifted by weeks at most; the ends of the calendar would not bear it.
    return 1900 <= year <= 2200


def _within(value: float, schema: Schema) -> bool:
    # Every number that a tool takes is bounded, so that NaN and the infinities fall out as well.
    return bool(schema["minimum"] <= value <= schema["maximum"])
