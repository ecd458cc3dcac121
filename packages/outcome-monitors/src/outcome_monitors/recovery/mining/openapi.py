"""The operations of an OpenAPI document as tools: here the HTTP method says what calling one does."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import FilePath, read_json_or_yaml
from outcome_monitors.model import Json
from outcome_monitors.recovery.tools import Tool, from_tools_list

__all__ = ["from_openapi", "read_openapi"]

METHODS = ("get", "head", "options", "post", "put", "patch", "delete")


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
