"""AppWorld's API documentation, `data/api_docs/standard/*.json`, as tools: what each API takes, and whether it reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.model import Json
from outcome_monitors.values.documents import read_json

__all__ = ["Api", "read_apis"]

_TYPES = ("string", "integer", "number", "boolean")


class Api(NamedTuple):
    """One documented API."""

    app: str
    name: str
    reads: bool
    description: str
    parameters: tuple[Mapping[str, Json], ...]
    fields: frozenset[str]
    """The fields of a success response, or of the rows that it lists, as documented."""

    @property
    def tool(self) -> str:
        """What AppWorld calls it for function calling."""
        return f"{self.app}__{self.name}"

    @property
    def spec(self) -> Json:
        """The API as MCP lists tools."""
        return {
            "name": self.tool,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": {parameter["name"]: _schema(parameter) for parameter in self.parameters},
                "required": [parameter["name"] for parameter in self.parameters if parameter.get("required")],
            },
            "annotations": {"readOnlyHint": self.reads},
        }


def read_apis(folder: Path) -> dict[str, Api]:
    """Read every app's file, a list of entries or an object of them by name."""
    files = sorted(folder.glob("*.json"))
    if not files:
        raise SourceError(
            f"{folder} holds no .json file; give AppWorld's root, the folder that has its `data`"
        )
    found = [_api(file, entry) for file in files for entry in _entries(file)]
    return {api.tool: api for api in found}


def _entries(file: Path) -> list[Json]:
    document = read_json(file)
    return list(document.values()) if isinstance(document, dict) else document


def _api(file: Path, entry: Json) -> Api:
    try:
        return Api(
            str(entry["app_name"]),
            str(entry["api_name"]),
            str(entry["method"]).upper() == "GET",
            str(entry.get("description") or ""),
            tuple(entry["parameters"]),
            _fields(entry.get("response_schemas")),
        )
    except (KeyError, TypeError, AttributeError):
        raise SourceError(
            f"{file} is not AppWorld's API documentation: an entry lacks a name, method or parameters"
        ) from None


def _fields(schemas: Json) -> frozenset[str]:
    shown = schemas.get("success") if isinstance(schemas, dict) else None
    row = shown[0] if isinstance(shown, list) and shown else shown
    return frozenset(row) if isinstance(row, dict) else frozenset()


def _schema(parameter: Mapping[str, Json]) -> Json:
    """Return a parameter's schema: types are written as `string`, `list[string]` or `number | string`."""
    written = str(parameter.get("type", ""))
    words = {"description": str(parameter.get("description") or "")}
    item = written.removeprefix("list[").removesuffix("]")
    if item != written:
        return {"type": "array", "items": {"type": item} if item in _TYPES else {}, **words}
    kinds = [kind for kind in (each.strip() for each in written.split("|")) if kind in _TYPES]
    if len(kinds) == 1:
        return {"type": kinds[0], **words}
    return {"anyOf": [{"type": kind} for kind in kinds], **words} if kinds else words
