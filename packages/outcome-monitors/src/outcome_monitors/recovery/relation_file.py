"""The relation file: read with every field checked, written so that equal relations give equal bytes."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from outcome_monitors.exceptions import RelationError
from outcome_monitors.files import FilePath, write_atomically
from outcome_monitors.jsonvalue.types import is_number
from outcome_monitors.model import Json

from .relations import Edit, Effect, Relation, Relations

__all__ = ["VERDICTS", "dumps", "load", "save"]

VERSION = 1
VERDICTS = ("accept", "reject", "add")


def save(relations: Relations, path: FilePath) -> None:
    """Write the file; sections that would be empty are left out, but `relations` never."""
    write_atomically(path, dumps(relations))


def dumps(relations: Relations) -> str:
    """Return what the file holds."""
    document: dict[str, Json] = {"version": VERSION, "relations": _entries_json(relations)}
    if relations.checks:
        document["checks"] = _entries_json(relations.checks)
    if relations.effects:
        document["effects"] = {
            tool: {"writes": effect.writes, "idempotent": effect.idempotent, "source": effect.source}
            for tool, effect in relations.effects.items()
        }
    if relations.needed:
        document["needed"] = {tool: list(names) for tool, names in relations.needed.items()}
    if relations.edits:
        document["edits"] = [_edit_json(edit) for edit in relations.edits]
    return json.dumps(document, indent=2) + "\n"


def load(path: FilePath) -> Relations:
    """Read the file; raise RelationError, naming the entry and the field, where it cannot be used."""
    name = os.fspath(path)
    document = _document(_read(path), name)
    return Relations(
        _section(document, "relations", name),
        checks=_section(document, "checks", name),
        effects=_effects(document.get("effects", {}), name),
        needed=_needed(document.get("needed", {}), name),
        edits=_edits(document.get("edits", []), name),
    )


def _entries_json(relations: Mapping[str, Iterable[Relation]]) -> dict[str, Json]:
    return {tool: [_relation_json(relation) for relation in found] for tool, found in relations.items()}


def _relation_json(relation: Relation) -> dict[str, Json]:
    return {
        "tool": relation.tool,
        "confidence": float(relation.confidence),
        "source": relation.source,
        "why": relation.why,
        "arguments": dict(sorted(relation.arguments.items())),
    }


def _edit_json(edit: Edit) -> dict[str, Json]:
    return {
        "tool": edit.tool,
        "substitute": edit.substitute,
        "verdict": edit.verdict,
        "why": edit.why,
        "arguments": dict(sorted(edit.arguments.items())),
    }


def _read(path: FilePath) -> Json:
    name = os.fspath(path)
    try:
        return json.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise RelationError(f"cannot read {name}: {error.strerror or error}; check the path") from error
    except (ValueError, RecursionError) as error:
        raise RelationError(f"{name} is not JSON: {error}; was it written by `relations build`?") from error


def _document(document: Json, name: str) -> dict[str, Json]:
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


def _section(document: dict[str, Json], section: str, name: str) -> dict[str, list[Relation]]:
    body = document.get(section, None if section == "relations" else {})
    if not isinstance(body, dict):
        raise RelationError(f"{name}: `{section}` is not an object of tool names")
    return {tool: _entries(found, f"{name}: {section}[{json.dumps(tool)}]") for tool, found in body.items()}


def _entries(found: Json, place: str) -> list[Relation]:
    if not isinstance(found, list):
        raise RelationError(f"{place} is not a list of substitutes")
    return [_relation(entry, f"{place}[{index}]") for index, entry in enumerate(found)]


def _relation(entry: Json, place: str) -> Relation:
    fields = _fields(entry, place, _RELATION)
    return Relation(**{**fields, "confidence": float(fields["confidence"])})


def _effects(body: Json, name: str) -> dict[str, Effect]:
    if not isinstance(body, dict):
        raise RelationError(f"{name}: `effects` is not an object of tool names")
    return {
        tool: Effect(**_fields(entry, f"{name}: effects[{json.dumps(tool)}]", _EFFECT))
        for tool, entry in body.items()
    }


def _needed(body: Json, name: str) -> dict[str, list[str]]:
    if not isinstance(body, dict) or not all(map(_is_names, body.values())):
        raise RelationError(f"{name}: `needed` is not an object of tool names with lists of argument names")
    return body


def _edits(body: Json, name: str) -> list[Edit]:
    if not isinstance(body, list):
        raise RelationError(f"{name}: `edits` is not a list")
    return [Edit(**_fields(entry, f"{name}: edits[{index}]", _EDIT)) for index, entry in enumerate(body)]


Wanted = Mapping[str, tuple[Callable[[Any], bool], str]]
_ABSENT: dict[str, Any] = {"arguments": {}}
"""What stands for a field that may be left out."""


def _fields(entry: Json, place: str, wanted: Wanted) -> dict[str, Any]:
    if not isinstance(entry, dict):
        raise RelationError(f"{place} is not an object")
    fields = {name: entry.get(name, _ABSENT.get(name)) for name in wanted}
    for name, (holds, what) in wanted.items():
        if not holds(fields[name]):
            raise RelationError(f"{place}: `{name}` is not {what}")
    return fields


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


def _is_renaming(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(target, str) for target in value.values())


_TEXT = (_is_text, "a string")
_RENAMING = (_is_renaming, "an object of argument names")
_RELATION: Wanted = {
    "tool": _TEXT,
    "confidence": (_is_share, "a number from 0 to 1"),
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
