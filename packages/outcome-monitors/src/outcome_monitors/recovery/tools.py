"""Tools as their interface shows them: MCP's `tools/list`, the operations of an OpenAPI document, and what contracts add."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import FilePath, read_json, read_json_or_yaml
from outcome_monitors.model import Contract, Json
from outcome_monitors.rules import KINDS
from outcome_monitors.rules.base.traits import Build

from .arguments import ENUM
from .rest import gets_a_part

DEEPEST = 6
MOST_PARTS = 20
BEHIND = ("$ref", "allOf", "anyOf", "oneOf")
"""Keywords behind which a schema goes on."""
MOST_FIELDS = 200
METHODS = ("get", "head", "options", "post", "put", "patch", "delete")
"""What an operation of OpenAPI may be; the method says what calling it does."""
TYPES_OF_KEYS = ("pattern", "format", "enum")
"""Keywords that say more of a value than its JSON type."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument that a tool takes."""

    name: str
    type: str
    """Its JSON type; of a list that of its items, with `[]`."""
    required: bool
    about: str = ""
    form: str = ""
    """What its pattern, format or allowed words say: equal forms are the same kind of thing."""


@dataclass(frozen=True, slots=True)
class Tool:
    """What is known of a tool before it is called."""

    name: str
    about: str = ""
    parameters: tuple[Parameter, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)
    """The leaves of its result, by path, with their form; empty where nobody says."""
    hints: Mapping[str, bool] = field(default_factory=dict)
    """MCP's annotations."""
    method: str = ""
    """The HTTP method behind it, where one is known."""

    @property
    def required(self) -> tuple[Parameter, ...]:
        """The arguments that cannot be left out."""
        return tuple(parameter for parameter in self.parameters if parameter.required)


def needed(tools: Iterable[Tool]) -> dict[str, dict[str, str]]:
    """Return what tools cannot be called without: each argument with its type, or the words it may be."""
    return {
        tool.name: {one.name: one.form if one.form.startswith(ENUM) else one.type for one in tool.required}
        for tool in tools
        if tool.parameters
    }


def paging(tools: Iterable[Tool]) -> dict[str, list[str]]:
    """Return the arguments by which tools give another part of a long answer."""
    found = {tool.name: [one.name for one in tool.parameters if gets_a_part(one.name)] for tool in tools}
    return {tool: names for tool, names in found.items() if names}


def read_tools(path: FilePath) -> list[Tool]:
    """Read a file with the result of `tools/list`."""
    return from_tools_list(read_json(path), Path(path).name)


def from_tools_list(document: Json, source: str) -> list[Tool]:
    """Return the tools of a `tools/list` result; raise SourceError, naming the entry, where it is none."""
    listed = document.get("tools") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise SourceError(f'{source} is not a result of tools/list: it must be {{"tools": [...]}}')
    return [_tool(entry, f"{source}: tools[{index}]") for index, entry in enumerate(listed)]


def from_contract(contract: Contract) -> dict[str, str]:
    """Return the fields that a contract speaks of, with the types it demands."""
    found: dict[str, str] = {}
    for clause in contract.clauses:
        if clause.path and KINDS[clause.kind].traits.build in {Build.TYPES, Build.PRESENCE}:
            kinds = [str(kind) for kind in clause.params.get("kinds", ()) if kind != "null"]
            found[clause.path] = found.get(clause.path) or "|".join(kinds)
    return {path: told for path, told in found.items() if not told.startswith(("object", "array"))}


def _tool(entry: Json, place: str) -> Tool:
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str) or not name:
        raise SourceError(f"{place} has no `name`")
    for key in ("inputSchema", "outputSchema", "annotations"):
        if not isinstance(entry.get(key) or {}, dict):
            raise SourceError(f"{place} ({name}): `{key}` is not an object")
    inputs, outputs = entry.get("inputSchema") or {}, entry.get("outputSchema") or {}
    return Tool(
        name=name,
        about=_text(entry.get("description")) or _text(entry.get("title")),
        parameters=tuple(_parameters(inputs)),
        fields=dict(_some(_fields(outputs, outputs, "", 0))),
        hints={key: said for key, said in (entry.get("annotations") or {}).items() if isinstance(said, bool)},
        method=_text(entry.get("method")).upper(),
    )


def _parameters(root: Mapping[str, Json]) -> Iterator[Parameter]:
    schema = _meant(root, root)
    properties, required = schema.get("properties"), schema.get("required")
    needed = set(required) if isinstance(required, list) and all(isinstance(r, str) for r in required) else ()
    for name, told in (properties if isinstance(properties, dict) else {}).items():
        one = _meant(told, root)
        item = _meant(one.get("items"), root)
        kind = _type(one)
        yield Parameter(
            name=name,
            type=f"{_type(item)}[]" if kind == "array" else kind,
            required=name in needed,
            about=_text(one.get("description")) or _text(item.get("description")),
            form=_form(item if kind == "array" else one),
        )


def _fields(told: Json, root: Mapping[str, Json], path: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield each leaf of an output schema: its path, and its form or type. One that holds itself has an end, too."""
    if not isinstance(told, dict) or depth > DEEPEST:
        return
    schema = _meant(told, root)
    inner = schema.get("properties")
    if isinstance(inner, dict):
        for name, one in inner.items():
            yield from _fields(one, root, f"{path}.{name}" if path else name, depth + 1)
    elif isinstance(schema.get("items"), dict):
        yield from _fields(schema["items"], root, f"{path}[]", depth + 1)
    elif isinstance(schema.get("additionalProperties"), dict):
        yield from _fields(schema["additionalProperties"], root, f"{path}.*" if path else "*", depth + 1)
    elif path:
        yield path, _form(schema) or _type(schema)


def _some(fields: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for _, pair in zip(range(MOST_FIELDS), fields, strict=False):
        yield pair


def _meant(schema: Json, root: Mapping[str, Json], hops: int = 0) -> Mapping[str, Json]:
    """Return what a schema says: what it refers to, all its parts in one, and the branch of a choice that is not null."""
    if not isinstance(schema, dict) or hops > DEEPEST:
        return {}
    own = {key: told for key, told in schema.items() if key not in BEHIND}
    for told in _behind(schema, root):
        own = _merged(_meant(told, root, hops + 1), own)
    return own


def _merged(part: Mapping[str, Json], own: Mapping[str, Json]) -> dict[str, Json]:
    merged = {**part, **own}
    if isinstance(part.get("properties"), dict) and isinstance(own.get("properties"), dict):
        merged["properties"] = {**part["properties"], **own["properties"]}
    if isinstance(part.get("required"), list) and isinstance(own.get("required"), list):
        merged["required"] = [*part["required"], *own["required"]]
    return merged


def _behind(schema: Mapping[str, Json], root: Mapping[str, Json]) -> Iterator[Json]:
    if isinstance(schema.get("$ref"), str):
        yield _referred(schema["$ref"], root)
    if isinstance(schema.get("allOf"), list):
        yield from schema["allOf"][:MOST_PARTS]
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        told = branches if isinstance(branches, list) else ()
        yield from [one for one in told if isinstance(one, dict) and one.get("type") != "null"][:1]


def _referred(pointer: str, root: Mapping[str, Json]) -> Json:
    """Return what a reference within the document points to; another document is not looked for."""
    if not pointer.startswith("#"):
        return None
    found: Json = root
    for step in pointer.removeprefix("#").strip("/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        found = found.get(key) if isinstance(found, dict) and key else found
    return found


def _type(schema: Mapping[str, Json]) -> str:
    told = schema.get("type")
    if isinstance(told, list):
        told = next((one for one in told if one != "null"), None)
    return told if isinstance(told, str) else "any"


def _form(schema: Mapping[str, Json]) -> str:
    # A pattern tells more than a format: a date that must be in 2031 is not any date.
    for key in TYPES_OF_KEYS:
        told = schema.get(key)
        if isinstance(told, str) and told:
            return f"{key}:{told}"
        if isinstance(told, list) and len(told) > 1:
            return f"{key}:{'|'.join(sorted(map(str, told)))}"
    return ""


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def read_openapi(path: FilePath) -> list[Tool]:
    """Read the operations of an OpenAPI document, in JSON or YAML."""
    return from_openapi(read_json_or_yaml(path), Path(path).name)


def from_openapi(document: Json, source: str) -> list[Tool]:
    """Return the operations of a document as tools, named as its contracts name them: by `operationId`, or "GET /pets"."""
    paths = document.get("paths") if isinstance(document, dict) else None
    if not isinstance(paths, dict):
        raise SourceError(f"{source} is not an OpenAPI document: it has no object `paths`")
    return from_tools_list({"tools": list(_operations(paths))}, source)


def _operations(paths: Mapping[str, Json]) -> Iterator[Json]:
    for path, item in paths.items():
        shared = item.get("parameters") if isinstance(item, dict) else None
        for method in METHODS:
            told = item.get(method) if isinstance(item, dict) else None
            if isinstance(told, dict):
                name = told.get("operationId")
                yield {
                    "name": name if isinstance(name, str) and name else f"{method.upper()} {path}",
                    "description": told.get("summary") or told.get("description") or "",
                    "inputSchema": _inputs([*_list(shared), *_list(told.get("parameters"))]),
                    "method": method.upper(),
                }


def _inputs(parameters: list[Json]) -> Json:
    named = [p for p in parameters if isinstance(p, dict) and isinstance(p.get("name"), str)]
    return {
        "properties": {
            p["name"]: {
                **(p["schema"] if isinstance(p.get("schema"), dict) else {}),
                "description": p.get("description"),
            }
            for p in named
        },
        "required": [p["name"] for p in named if p.get("required") is True],
    }


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
