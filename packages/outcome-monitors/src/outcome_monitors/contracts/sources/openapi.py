"""OpenAPI 3.x to contracts: what the read operations of an API say of their success responses.

A tool is named by its `operationId`, or "GET /pets/{id}" where there is none.
"""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import FilePath, read_json_or_yaml
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.model import Json

from ._reading import Report, SourceReading
from ._shape import Where
from .json_schema import Document, shape_of

_NOT_READS = {
    "delete": "not a read",
    "head": "a response to HEAD has no body",
    "options": "not a read",
    "patch": "not a read",
    "post": "not a read",
    "put": "not a read",
    "trace": "not a read",
}
_SUCCESS = re.compile(r"2\d\d")


class _Part(NamedTuple):
    """A part of the document, with its place."""

    where: Where
    value: Json

    def at(self, key: str) -> "_Part | None":
        """Return the part below a key, if there is one."""
        if not isinstance(self.value, dict) or key not in self.value:
            return None
        return _Part((*self.where, key), self.value[key])


def read_openapi(path: FilePath) -> Report:
    """Read the contracts of an API's read operations from its OpenAPI document, in JSON or YAML."""
    return from_openapi(read_json_or_yaml(path), Path(path).name)


def from_openapi(document: Json, source: str) -> Report:
    """Turn the success responses of an OpenAPI document's read operations into contracts."""
    version = _version(document, source)
    paths = document.get("paths", {})
    if not isinstance(paths, dict):
        raise SourceError(f"{source}: `paths` must be an object")
    reading = SourceReading(source)
    references = Document(document, siblings=not version.startswith("3.0"))
    for path, item in paths.items():
        _read_path(reading, references, str(path), _Part(("#", "paths", path), item))
    return reading.report()


def _version(document: Json, source: str) -> str:
    keys = document if isinstance(document, dict) else {}
    version = keys.get("openapi")
    if isinstance(version, str) and version.startswith("3."):
        return version
    if "swagger" in keys:
        raise SourceError(f"{source} is Swagger {clip(keys['swagger'])}; convert it to OpenAPI 3 first")
    found = f"its `openapi` is {clip(version)!r}" if "openapi" in keys else "it has no `openapi`"
    raise SourceError(f"{source} is not an OpenAPI 3 document: {found}")


def _read_path(reading: SourceReading, references: Document, path: str, item: _Part) -> None:
    reading.tool = path
    found = _resolved(reading, references, item)
    if found is None:
        return
    for method in found.value:
        operation = found.at(method)
        if operation is None or (method != "get" and method not in _NOT_READS):
            continue
        reading.tool = _name(path, str(method), operation.value)
        if method in _NOT_READS:
            reading.refuse(operation.where, _NOT_READS[method])
        else:
            _read_operation(reading, references, operation)


def _name(path: str, method: str, operation: Json) -> str:
    name = operation.get("operationId") if isinstance(operation, dict) else None
    return name if isinstance(name, str) and name else f"{method.upper()} {path}"


def _read_operation(reading: SourceReading, references: Document, operation: _Part) -> None:
    responses = operation.at("responses")
    if responses is None or not isinstance(responses.value, dict):
        reading.refuse(operation.where, "has no `responses`")
        return
    response = _success(reading, references, responses)
    content = response and response.at("content")
    if content is None:
        if response is not None:
            reading.refuse(response.where, "has no content")
        return
    schema = _json_schema(content)
    if schema is None:
        reading.refuse(content.where, "has no JSON content with a schema")
        return
    reading.contract(schema.where, partial(shape_of, schema.value, schema.where, references, reading))


def _success(reading: SourceReading, references: Document, responses: _Part) -> _Part | None:
    """Return the response of 200, else of the lowest 2xx, else of 2XX."""
    by_code: Mapping[str, str] = {str(code).upper(): code for code in responses.value}
    codes = [*sorted(filter(_SUCCESS.fullmatch, by_code)), *(["2XX"] if "2XX" in by_code else [])]
    if not codes:
        only = (
            "only a `default` response, which may be an error"
            if "DEFAULT" in by_code
            else "no success response"
        )
        reading.refuse(responses.where, only)
        return None
    for code in codes[1:]:
        reading.refuse(
            (*responses.where, code), f"another success response: the contract speaks of {codes[0]}"
        )
    response = responses.at(by_code[codes[0]])
    return response and _resolved(reading, references, response)


def _json_schema(content: _Part) -> _Part | None:
    """Return the schema of `application/json`, else of the first `+json` type."""
    types = content.value if isinstance(content.value, dict) else {}
    # Parameters such as `; charset=utf-8` do not change what the body is.
    bare = {str(name): str(name).partition(";")[0].strip().lower() for name in types}
    plain = [name for name in bare if bare[name] == "application/json"]
    suffixed = sorted(name for name in bare if bare[name].endswith("+json"))
    for name in [*plain, *suffixed]:
        media = content.at(name)
        schema = media and media.at("schema")
        if schema is not None:
            return schema
    return None


def _resolved(reading: SourceReading, references: Document, part: _Part) -> _Part | None:
    """Follow `$ref` to an object, or report why there is none."""
    seen: set[str] = set()
    while isinstance(part.value, dict) and isinstance(reference := part.value.get("$ref"), str):
        if reference in seen:
            reading.refuse(part.where, "a loop of `$ref`")
            return None
        seen.add(reference)
        try:
            part = _Part(*references.find(reference))
        except LookupError as error:
            reading.refuse((*part.where, "$ref"), str(error.args[0]))
            return None
    if not isinstance(part.value, dict):
        reading.refuse(part.where, "must be an object")
        return None
    return part
