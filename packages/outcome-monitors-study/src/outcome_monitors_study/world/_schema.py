"""The types of tools.json, read as JSON Schema (2020-12).

A type is written as a text, an object or a list:

    text  texts  flag  count  integer  money  day  moment
    id ORD                       an id such as ORD-10422
    one of card wallet           one of these words
    among tiers                  one of the words of vocabulary.json; `cities.code` is that field of its rows
    match ^[A-Z]{3}$             a text of this form
    whole 1 20                   a whole number within bounds
    number  number 0  number 0 5
    maybe day                    a day or null
    @status                      one of the file's own `types`
    {"total": "money"}           an object with exactly these fields; those of another type stand under "..."
    {"<id>": "money"}            an object whose keys are data
    ["text"]  ["text", "1..8"]   a list; how many at least and at most

After a colon stands what it is about: "id ORD: Number of the order".
"""

from collections.abc import Mapping
from typing import Any

from .data import FieldPlace

__all__ = ["Schema", "Types", "obj"]

Json = Any
Schema = dict[str, Any]

_PLAIN: Mapping[str, Schema] = {
    "text": {"type": "string", "minLength": 1},
    "texts": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 50},
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 0},
    "integer": {"type": "integer"},
    "money": {"type": "number", "minimum": 0, "maximum": 100_000_000},
    "day": {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    "moment": {"type": "string", "format": "date-time", "pattern": "Z$"},
}


def obj(properties: Mapping[str, Schema], required: list[str]) -> Schema:
    """Return the schema of an object that has no other fields."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }


class Types:
    """The types of one file: its own, and the words of its domain."""

    def __init__(self, words: Mapping[str, Json]) -> None:
        self._words = words
        self._own: dict[str, Schema] = {}

    def define(self, name: str, notation: Json, place: FieldPlace) -> None:
        """Take in a type of the file's own; those after it can use it."""
        self._own[name] = self.schema(notation, place)

    def schema(self, notation: Json, place: FieldPlace) -> Schema:
        """Return the schema of a type, or refuse it with its place."""
        match notation:
            case str():
                kind, _, about = notation.partition(": ")
                schema = self._kind(kind.split(), place)
                return {**schema, "description": about} if about else schema
            case {"<id>": value} if len(notation) == 1:
                return {"type": "object", "additionalProperties": self.schema(value, place.below("<id>"))}
            case {}:
                fields = self._fields(notation, place)
                return obj(fields, list(fields))
            case [item]:
                return self._list(item, "0..", place)
            case [item, str(bounds)]:
                return self._list(item, bounds, place)
        raise place.wrong("is no type: neither a text, nor an object, nor a list of one")

    def _fields(self, notation: Mapping[str, Json], place: FieldPlace) -> dict[str, Schema]:
        found: dict[str, Schema] = {}
        for name, value in notation.items():
            schema = self.schema(value, place.below(name))
            if name == "..." and "properties" not in schema:
                raise place.below(name).wrong("has no fields of its own")
            found |= schema["properties"] if name == "..." else {name: schema}
        return found

    def _list(self, item: Json, bounds: str, place: FieldPlace) -> Schema:
        least, dots, most = bounds.partition("..")
        if not least.isdecimal() or not dots or not (most.isdecimal() or not most):
            raise place.below(1).wrong(f"is {bounds!r}, and not of the form 1.. or 1..8")
        schema = {"type": "array", "items": self.schema(item, place.below(0)), "minItems": int(least)}
        return {**schema, "maxItems": int(most)} if most else schema

    def _kind(self, words: list[str], place: FieldPlace) -> Schema:
        match words:
            case [name] if name in _PLAIN:
                return dict(_PLAIN[name])
            case [name] if name.startswith("@") and name[1:] in self._own:
                return self._own[name[1:]]
            case ["maybe", *rest]:
                return {"anyOf": [self._kind(rest, place), {"type": "null"}]}
            case ["id", prefix]:
                return {"type": "string", "pattern": f"^{prefix}-[0-9]+$"}
            case ["match", pattern]:
                return {"type": "string", "pattern": pattern}
            case ["one", "of", *choices] if choices:
                return {"type": "string", "enum": choices}
            case ["among", name]:
                return {"type": "string", "enum": self._among(name, place)}
            case ["whole", low, high]:
                return {"type": "integer", "minimum": _number(low, place), "maximum": _number(high, place)}
            case ["number", *bounds] if len(bounds) <= 2:
                named = zip(("minimum", "maximum"), bounds, strict=False)
                return {"type": "number", **{name: _number(bound, place) for name, bound in named}}
        raise place.wrong(f"is no type: {' '.join(words)!r}")

    def _among(self, name: str, place: FieldPlace) -> list[str]:
        """Return the words of a list, the keys of an object, or one field of the rows of either."""
        table, _, field = name.partition(".")
        words = self._words.get(table, ())
        if field:
            rows = words.values() if isinstance(words, dict) else words
            words = [row[field] for row in rows if isinstance(row, dict) and field in row]
        if not words or not all(isinstance(word, str) for word in words):
            raise place.wrong(f"is among {name}, and the vocabulary has no such words")
        return list(words)


def _number(text: str, place: FieldPlace) -> float:
    try:
        return int(text) if text.lstrip("-").isdecimal() else float(text)
    except ValueError as error:
        raise place.wrong(f"has the bound {text!r}, which is no number") from error
