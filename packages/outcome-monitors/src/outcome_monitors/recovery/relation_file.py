"""The relation file: read with every field checked, written so that equal relations give equal bytes."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import RelationError
from outcome_monitors.files import FilePath, write_atomically
from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Json

from .effects import Effect
from .relations import Edit, Relation, Relations

VERSION = 1
VERDICTS = ("accept", "reject", "add")


def save(relations: Relations, path: FilePath) -> None:
    """Write the file."""
    write_atomically(path, dumps(relations))


def dumps(relations: Relations) -> str:
    """Return what the file holds; sections that would be empty are left out, but `relations` never."""
    sections: dict[str, Json] = {
        "checks": _entries_json(relations.checks),
        "effects": {tool: asdict(effect) for tool, effect in relations.effects.items()},
        "needed": relations.needed,
        "paging": {tool: list(names) for tool, names in relations.paging.items()},
        "edits": [_entry_json(edit) for edit in relations.edits],
    }
    document = {"version": VERSION, "relations": _entries_json(relations)}
    return json.dumps(document | {name: held for name, held in sections.items() if held}, indent=2) + "\n"


def _entries_json(relations: Mapping[str, Iterable[Relation]]) -> dict[str, Json]:
    return {
        tool: [_entry_json(one) | {"confidence": float(one.confidence)} for one in listed]
        for tool, listed in relations.items()
    }


def _entry_json(entry: Relation | Edit) -> dict[str, Json]:
    return asdict(entry) | {"arguments": dict(sorted(entry.arguments.items()))}


def load(path: FilePath) -> Relations:
    """Read the file; raise RelationError, naming the entry and the field, where it cannot be used."""
    name = os.fspath(path)
    document = _read(name)
    body = _of_tools(document, "effects", name)
    effects = {tool: Effect(**_fields(entry, place, _EFFECT)) for tool, entry, place in body}
    edits = document.get("edits", [])
    if not isinstance(edits, list):
        raise RelationError(f"{name}: `edits` is not a list")
    of_arguments = {key: document.get(key, {}) for key in ("needed", "paging")}
    for key, found in of_arguments.items():
        typed = _is_typed if key == "needed" else _is_names
        if not isinstance(found, dict) or not all(_is_names(one) or typed(one) for one in found.values()):
            raise RelationError(
                f"{name}: `{key}` is not an object of tool names with lists of argument names"
            )
    return Relations(
        _section(document, "relations", name),
        checks=_section(document, "checks", name),
        effects=effects,
        **of_arguments,
        edits=[Edit(**_fields(entry, f"{name}: edits[{n}]", _EDIT)) for n, entry in enumerate(edits)],
    )


def _read(name: str) -> dict[str, Json]:
    try:
        document = json.loads(Path(name).read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise RelationError(f"cannot read {name}: {error.strerror or error}; check the path") from error
    except (ValueError, RecursionError) as error:
        raise RelationError(f"{name} is not JSON: {error}; was it written by `relations build`?") from error
    if not isinstance(document, dict):
        raise RelationError(
            f"{name} is not a relations file: it holds no object with `version` and `relations`"
        )
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise RelationError(f"{name}: `version` is not a number from 1; this program writes {VERSION}")
    if version > VERSION:
        raise RelationError(
            f"{name}: version {version} was written by a later program, this one reads up to {VERSION};"
            " upgrade outcome-monitors"
        )
    return document


def _of_tools(document: dict[str, Json], section: str, name: str) -> list[tuple[str, Json, str]]:
    """Return the entries of a section by tool, each with its place."""
    body = document.get(section, None if section == "relations" else {})
    if not isinstance(body, dict):
        raise RelationError(f"{name}: `{section}` is not an object of tool names")
    return [(tool, entry, f"{name}: {section}[{json.dumps(tool)}]") for tool, entry in body.items()]


def _section(document: dict[str, Json], section: str, name: str) -> dict[str, list[Relation]]:
    relations: dict[str, list[Relation]] = {}
    for tool, listed, place in _of_tools(document, section, name):
        if not isinstance(listed, list):
            raise RelationError(f"{place} is not a list of substitutes")
        entries = [_fields(entry, f"{place}[{index}]", _RELATION) for index, entry in enumerate(listed)]
        relations[tool] = [
            Relation(**entry | {"confidence": float(entry["confidence"])}) for entry in entries
        ]
    return relations


Wanted = Mapping[str, tuple[Callable[[Any], bool], str]]


def _fields(entry: Json, place: str, wanted: Wanted) -> dict[str, Any]:
    """Return the fields of an entry; `arguments` may be left out."""
    if not isinstance(entry, dict):
        raise RelationError(f"{place} is not an object")
    fields = {name: entry.get(name, {} if name == "arguments" else None) for name in wanted}
    for name, (holds, what) in wanted.items():
        if not holds(fields[name]):
            raise RelationError(f"{place}: `{name}` is not {what}")
    return fields


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_typed(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


_TEXT = (_is_text, "a string")
_RENAMING = (_is_typed, "an object of argument names")
_RELATION: Wanted = {
    "tool": _TEXT,
    "confidence": (lambda value: is_number(value) and 0 <= value <= 1, "a number from 0 to 1"),
    "source": _TEXT,
    "why": _TEXT,
    "arguments": _RENAMING,
}
_EFFECT: Wanted = {
    "writes": (lambda value: isinstance(value, bool), "true or false"),
    "idempotent": (lambda value: value is None or isinstance(value, bool), "true, false or null"),
    "source": _TEXT,
}
_EDIT: Wanted = {
    "tool": _TEXT,
    "substitute": _TEXT,
    "verdict": (lambda value: value in VERDICTS, f"one of {', '.join(VERDICTS)}"),
    "why": _TEXT,
    "arguments": _RENAMING,
}
