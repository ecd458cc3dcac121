"""Short names for the JSON Schema (2020-12) parts that tool definitions are made of."""

from typing import Any

__all__ = [
    "by_id",
    "choice",
    "count",
    "day",
    "flag",
    "ident",
    "maybe",
    "moment",
    "money",
    "number",
    "obj",
    "rows",
    "text",
    "texts",
    "whole",
]

Schema = dict[str, Any]


def _with(schema: Schema, about: str) -> Schema:
    return {**schema, "description": about} if about else schema


def text(about: str = "") -> Schema:
    """Any text that is not empty."""
    return _with({"type": "string", "minLength": 1}, about)


def ident(prefix: str, about: str = "") -> Schema:
    """An id such as ORD-10422."""
    return _with({"type": "string", "pattern": f"^{prefix}-[0-9]+$"}, about)


def choice(*values: str, about: str = "") -> Schema:
    """One of a few words."""
    return _with({"type": "string", "enum": list(values)}, about)


def day(about: str = "") -> Schema:
    """A calendar day, 2031-03-10."""
    return _with({"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}, about)


def moment(about: str = "") -> Schema:
    """A time in UTC, 2031-03-10T09:00:00Z."""
    return _with({"type": "string", "format": "date-time", "pattern": "Z$"}, about)


def whole(low: int, high: int, about: str = "") -> Schema:
    """A whole number within bounds."""
    return _with({"type": "integer", "minimum": low, "maximum": high}, about)


def count() -> Schema:
    """How many there are."""
    return {"type": "integer", "minimum": 0}


def number(low: float | None = None, high: float | None = None, about: str = "") -> Schema:
    """A number, within bounds where given."""
    bounds = {"minimum": low, "maximum": high}
    return _with({"type": "number", **{k: v for k, v in bounds.items() if v is not None}}, about)


def money(about: str = "") -> Schema:
    """An amount that is not negative, in whole units of the currency with two decimals."""
    return _with({"type": "number", "minimum": 0, "maximum": 100_000_000}, about)


def flag(about: str = "") -> Schema:
    """Yes or no."""
    return _with({"type": "boolean"}, about)


def maybe(schema: Schema) -> Schema:
    """The same, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def obj(**fields: Schema) -> Schema:
    """An object with exactly these fields."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def rows(item: Schema, least: int = 0, most: int | None = None) -> Schema:
    """A list."""
    return {"type": "array", "items": item, "minItems": least} | ({} if most is None else {"maxItems": most})


def texts(about: str = "") -> Schema:
    """A short list of texts."""
    return _with(rows(text(), least=1, most=50), about)


def by_id(value: Schema) -> Schema:
    """An object whose keys are data."""
    return {"type": "object", "additionalProperties": value}
