"""A tool: its definition in tools.json, its schemas, and the function that answers it.

A type is written as a text, an object or a list, and read as JSON Schema (2020-12):

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

After a colon stands a description: "id ORD: Number of the order". An argument `day?` may be left out, and one with
`whole 1 20 = 5` is then 5.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from .records import document, vocabulary
from .state import TODAY, State

Json = Any
Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN: Mapping[str, Schema] = {
    "text": {"type": "string", "minLength": 1},
    "texts": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1, "maxItems": 50},
    "flag": {"type": "boolean"},
    "count": {"type": "integer", "minimum": 0},
    "integer": {"type": "integer"},
    "money": {"type": "number", "minimum": 0, "maximum": 100_000_000},
    "day": {"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
    "moment": {"type": "string", "format": "date-time", "pattern": "Z$"},
}
PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}
PARAMETER = re.compile(r"(?P<type>[^:]*?)(?P<left_out>\?| = (?P<default>[^: ]+))?(?P<about>: .*)?")


@dataclass(frozen=True, slots=True)
class WorldTool:
    """One tool of the world."""

    name: str
    domain: str
    category: str
    """`source` reads, `processor` computes from its arguments, `action` changes something."""
    description: str
    inputs: Schema
    output: Schema
    idempotent: bool
    """Calling it again with the same arguments changes nothing more."""
    defaults: Mapping[str, Json]
    """What stands for arguments that are left out."""
    run: Any

    @property
    def read_only(self) -> bool:
        """Say whether it leaves the world as it was."""
        return self.category != "action"

    def answer(self, state: State, arguments: Mapping[str, Json]) -> Json:
        """Answer a call whose arguments fit the input schema, in the form of the output schema.

        A function gives at least what the schema names and the call doesn't: arguments are repeated, lists counted
        (`order_count` of `orders`) and times filled in.
        """
        given = {**self.defaults, **arguments}
        known = {**given, **self.run(state, **given)}
        for name in self.output["properties"]:
            if name not in known:
                listed = known.get(f"{name.removesuffix('_count')}s")
                known[name] = state.stamp if listed is None else len(listed)
        return _projected(known, self.output)


def _projected(value: Json, schema: Schema) -> Json:
    """Return of a value what its schema names, in the schema's order."""
    if value is not None and "anyOf" in schema:
        schema = schema["anyOf"][0]
    if isinstance(value, dict) and "properties" in schema:
        return {name: _projected(value[name], each) for name, each in schema["properties"].items()}
    if isinstance(value, dict) and "additionalProperties" in schema:
        return {name: _projected(item, schema["additionalProperties"]) for name, item in value.items()}
    if isinstance(value, list):
        return [_projected(item, schema["items"]) for item in value]
    return value


def tools(domain: str, functions: Mapping[str, Any]) -> tuple[WorldTool, ...]:
    """Return the tools of a domain, each with the function of its name."""
    content, types = document(domain, "tools.json"), Types(vocabulary(domain))
    for name, notation in content["types"].items():
        types.own[name] = types.schema(notation)
    return tuple(_tool(domain, name, each, types, functions[name]) for name, each in content["tools"].items())


def _tool(domain: str, name: str, content: Mapping[str, Json], types: "Types", run: Any) -> WorldTool:
    schemas: dict[str, Schema] = {}
    defaults: dict[str, Json] = {}
    for argument, notation in content.get("takes", {}).items():
        parts = PARAMETER.fullmatch(notation) if isinstance(notation, str) else None
        if parts is None or not parts["left_out"]:
            schemas[argument] = types.schema(notation)
            continue
        schemas[argument] = types.schema(parts["type"] + (parts["about"] or ""))
        defaults[argument] = None
        if parts["default"] is not None:
            defaults[argument] = _default(parts["default"])
            schemas[argument] = {**schemas[argument], "default": defaults[argument]}
    required = [argument for argument in schemas if argument not in defaults]
    return WorldTool(
        name=name,
        domain=domain,
        category=content["category"],
        description=content["description"],
        inputs=_object(schemas, required),
        output={"$schema": DIALECT, **types.schema(content["gives"])},
        idempotent=content.get("idempotent", False) or content["category"] != "action",
        defaults=defaults,
        run=run,
    )


def _default(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return TODAY if text == "today" else text


class Types:
    """The types of one file: its own, and the words of its domain."""

    def __init__(self, words: Mapping[str, Json]) -> None:
        self.own: dict[str, Schema] = {}
        self._words = words

    def schema(self, notation: Json) -> Schema:
        """Return the schema of a type."""
        match notation:
            case str():
                kind, _, about = notation.partition(": ")
                schema = self._kind(kind.split())
                return {**schema, "description": about} if about else schema
            case {"<id>": value} if len(notation) == 1:
                return {"type": "object", "additionalProperties": self.schema(value)}
            case {}:
                fields: dict[str, Schema] = {}
                for name, value in notation.items():
                    schema = self.schema(value)
                    fields |= schema["properties"] if name == "..." else {name: schema}
                return _object(fields, list(fields))
            case [item, *bounds]:
                least, _, most = (bounds[0] if bounds else "0..").partition("..")
                schema = {"type": "array", "items": self.schema(item), "minItems": int(least)}
                return {**schema, "maxItems": int(most)} if most else schema
        raise ValueError(f"{notation!r} is no type")

    def _kind(self, words: list[str]) -> Schema:
        match words:
            case [name] if name in PLAIN:
                return dict(PLAIN[name])
            case [name] if name.startswith("@"):
                return self.own[name[1:]]
            case ["maybe", *rest]:
                return {"anyOf": [self._kind(rest), {"type": "null"}]}
            case ["id", prefix]:
                return {"type": "string", "pattern": f"^{prefix}-[0-9]+$"}
            case ["match", pattern]:
                return {"type": "string", "pattern": pattern}
            case ["one", "of", *choices]:
                return {"type": "string", "enum": choices}
            case ["among", name]:
                table, _, field = name.partition(".")
                listed = self._words[table]
                rows = listed.values() if isinstance(listed, dict) else listed
                return {"type": "string", "enum": [row[field] for row in rows] if field else list(listed)}
            case ["whole", low, high]:
                return {"type": "integer", "minimum": json.loads(low), "maximum": json.loads(high)}
            case ["number", *bounds]:
                named = zip(("minimum", "maximum"), map(json.loads, bounds), strict=False)
                return {"type": "number", **dict(named)}
        raise ValueError(f"{' '.join(words)!r} is no type")


def _object(properties: Mapping[str, Schema], required: list[str]) -> Schema:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }


def misfit(value: Json, schema: Schema, name: str = "the arguments") -> str | None:
    """Say in one sentence why a value does not fit a schema of the notation, or None where it does."""
    expected = schema["type"]
    if not _is(value, expected):
        return f"{name} must be of type {expected}"
    if expected == "object":
        return _object_misfit(value, schema, name)
    if expected == "array":
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{name} has the wrong number of items"
        found = (misfit(item, schema["items"], f"an item of {name}") for item in value)
        return next(filter(None, found), None)
    if expected == "string":
        return _text_misfit(value, schema, name)
    # Every number that a tool takes is bounded, so that NaN and the infinities fall out as well.
    if expected != "boolean" and not schema["minimum"] <= value <= schema["maximum"]:
        return f"{name} is out of range"
    return None


def _is(value: Json, expected: str) -> bool:
    return isinstance(value, PYTHON_TYPES[expected]) and (
        expected == "boolean" or not isinstance(value, bool)
    )


def _object_misfit(value: Mapping[str, Json], schema: Schema, name: str) -> str | None:
    for key in schema["required"]:
        if key not in value:
            return f"{key} is missing in {name}"
    for key, item in value.items():
        known = schema["properties"].get(key)
        found = f"{key} is not known in {name}" if known is None else misfit(item, known, key)
        if found:
            return found
    return None


def _text_misfit(value: str, schema: Schema, name: str) -> str | None:
    if len(value) < schema.get("minLength", 0) or value not in schema.get("enum", [value]):
        return f"{name} is not one of the values allowed"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        return f"{name} does not have the form {schema['pattern']}"
    if schema.get("format") == "date":
        try:
            # Days are shifted by weeks at most; the ends of the calendar would not bear it.
            if 1900 <= date.fromisoformat(value).year <= 2200:
                return None
        except ValueError:
            pass
        return f"{name} is not a date"
    return None
