"""AppWorld's API documentation to contracts: what the example of a read's success response shows.

A file documents one app: the entries of its APIs, as a list or by name. An entry's `response_schemas.success` is no schema but an
example of a complete response, in which a scalar stands for its type. So every field shown is required, and its type is that of the
example *or null*: an example cannot show that a field may be null, and about one in ten of AppWorld's may.

A tool is named `app__api`, as AppWorld names it for function calling.
"""

from collections.abc import Iterator
from functools import partial, reduce
from pathlib import Path

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import FilePath, read_json
from outcome_monitors.jsonvalue.types import kind_of
from outcome_monitors.model import Json

from ._reading import Report, SourceReading
from ._shape import ANYTHING, SchemaShape, Some, Where, join


def read_appworld(path: FilePath) -> Report:
    """Read the contracts of AppWorld's read APIs from one documentation file, or from a folder of them."""
    place = Path(path)
    if not place.is_dir():
        return from_appworld(read_json(place), place.name)
    files = sorted(place.glob("*.json"))
    if not files:
        raise SourceError(f"{place} holds no .json file; give a folder of AppWorld's API documentation")
    reading = SourceReading(place.resolve().name)
    for file in files:
        reading.file = file.name
        _read_app(reading, read_json(file), f"{file.name}#")
    return reading.report()


def from_appworld(document: Json, source: str) -> Report:
    """Turn one app's API documentation into contracts."""
    reading = SourceReading(source)
    _read_app(reading, document, "#")
    return reading.report()


def _read_app(reading: SourceReading, document: Json, root: str) -> None:
    if not isinstance(document, (dict, list)):
        raise SourceError(f"{reading.file} is not AppWorld's API documentation: it must be a list of entries")
    for where, entry in _entries(document, root):
        app, api, method = (entry.get(key) for key in ("app_name", "api_name", "method"))
        if not isinstance(app, str) or not isinstance(api, str) or not isinstance(method, str):
            raise SourceError(
                f"{reading.file} is not AppWorld's API documentation: entry {where[-1]} lacks a name or method"
            )
        reading.tool = f"{app}__{api}"
        schemas = entry.get("response_schemas")
        if method.upper() != "GET":
            reading.refuse(where, "not a read")
        elif not isinstance(schemas, dict) or "success" not in schemas:
            reading.refuse(where, "has no success response")
        else:
            below = (*where, "response_schemas", "success")
            reading.contract(below, partial(_shape, reading, schemas["success"], below))


def _entries(document: Json, root: str) -> Iterator[tuple[Where, dict[str, Json]]]:
    for key, entry in document.items() if isinstance(document, dict) else enumerate(document):
        yield (root, key), entry if isinstance(entry, dict) else {}


def _shape(reading: SourceReading, example: Json, where: Where, levels: int) -> Some:
    reading.spend(1)
    if levels < 0:
        reading.cut(where)
        return ANYTHING
    if example is None:
        reading.refuse(where, "an example of null does not tell the type")
        return ANYTHING
    if isinstance(example, dict):
        return _object(reading, example, where, levels)
    kind = kind_of(example)
    kinds = frozenset({"integer", "number"} if kind == "number" else {kind})
    items: Some = ANYTHING
    if isinstance(example, list) and example:
        shapes = [_shape(reading, item, (*where, index), levels - 1) for index, item in enumerate(example)]
        items = reduce(lambda one, other: join(one, other, reading.spend), shapes)
    return SchemaShape(kinds, items=items, at=where)


def _object(reading: SourceReading, example: dict[str, Json], where: Where, levels: int) -> SchemaShape:
    fields = {}
    for name, value in example.items():
        shown = _shape(reading, value, (*where, name), levels - 1)
        fields[name] = join(shown, SchemaShape(kinds=frozenset({"null"})), reading.spend)
    return SchemaShape(frozenset({"object"}), fields, required=frozenset(fields), at=where)
