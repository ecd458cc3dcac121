"""Which tools can stand in for which: recovery relations, kept apart from detection.

Contracts say when a result is suspect; relations say what else the agent could call. Neither reads a task, a solution
or an outcome.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._files import FilePath, write_atomically
from ._model import Json
from ._values import is_number
from .exceptions import RelationError

__all__ = ["Relation", "Relations", "recovery_actions"]

VERSION = 1


@dataclass(frozen=True, slots=True)
class Relation:
    """A tool that can stand in for another."""

    tool: str
    confidence: float
    """From 0 to 1."""
    source: str
    """What says so: `declared`, `signature`, `toolmaze`..."""
    why: str
    """The reason, for people."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """From an argument of the tool it stands in for to the one of its own that takes the value."""


class Relations(Mapping[str, tuple[Relation, ...]]):
    """The substitutes of each tool, best first, each named once; a tool that has none is absent."""

    def __init__(self, relations: Mapping[str, Iterable[Relation]] | None = None) -> None:
        ranked = {tool: _ranked(tool, found) for tool, found in (relations or {}).items()}
        self._relations = {tool: ranked[tool] for tool in sorted(ranked) if ranked[tool]}

    def __getitem__(self, tool: str) -> tuple[Relation, ...]:
        return self._relations[tool]

    def __iter__(self) -> Iterator[str]:
        return iter(self._relations)

    def __len__(self) -> int:
        return len(self._relations)

    def __repr__(self) -> str:
        return f"Relations({self._relations!r})"

    @classmethod
    def declared(cls, substitutes: Mapping[str, Sequence[str]]) -> "Relations":
        """Return the relations someone states: {"get_stock": ["quote", "price"]}, best first."""
        for tool, names in substitutes.items():
            if isinstance(names, str) or not all(isinstance(name, str) for name in names):
                raise RelationError(
                    f"the substitutes of {tool!r} are not a list of tool names; write [...] around them"
                )
        return cls(
            {
                tool: [
                    Relation(name, 1.0, "declared", f"declared as a substitute of {tool}") for name in names
                ]
                for tool, names in substitutes.items()
            }
        )

    def merge(self, other: "Relations") -> "Relations":
        """Return both together; where both name a substitute the more confident entry stays, ours where they tie."""
        return Relations({tool: (*self.get(tool, ()), *other.get(tool, ())) for tool in {*self, *other}})

    def save(self, path: FilePath) -> None:
        """Write the file; equal relations give equal bytes."""
        body = {tool: [_to_json(relation) for relation in found] for tool, found in self.items()}
        write_atomically(path, json.dumps({"version": VERSION, "relations": body}, indent=2) + "\n")

    @classmethod
    def load(cls, path: FilePath) -> "Relations":
        """Read the file; raise RelationError, naming the entry and the field, where it cannot be used."""
        name = os.fspath(path)
        body = _body(_read(path), name)
        return cls(
            {tool: _entries(found, f"{name}: relations[{json.dumps(tool)}]") for tool, found in body.items()}
        )


def recovery_actions(tool: str, relations: Relations, visible: Collection[str] | None) -> tuple[str, ...]:
    """Return what can be called after a flagged result: the tool itself, then those of its substitutes that are visible.

    The tool has just been called, so it is listed whatever `visible` says. Where the visible tools are not known (None)
    it is the only one certain to be callable, and a receipt never names a tool the agent cannot call.
    """
    substitutes = (relation.tool for relation in relations.get(tool, ()))
    callable_ones = (name for name in substitutes if visible is not None and name in visible)
    return tuple(dict.fromkeys((tool, *callable_ones)))


def _ranked(tool: str, relations: Iterable[Relation]) -> tuple[Relation, ...]:
    # The sort is stable, so among equals the first to come stays first; this makes merging idempotent.
    best_first = sorted(relations, key=lambda relation: -relation.confidence)
    by_name: dict[str, Relation] = {}
    for relation in best_first:
        if relation.tool != tool:
            by_name.setdefault(relation.tool, relation)
    return tuple(by_name.values())


def _to_json(relation: Relation) -> dict[str, Json]:
    return {
        "tool": relation.tool,
        "confidence": float(relation.confidence),
        "source": relation.source,
        "why": relation.why,
        "arguments": dict(sorted(relation.arguments.items())),
    }


def _read(path: FilePath) -> Json:
    name = os.fspath(path)
    try:
        return json.loads(Path(path).read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise RelationError(f"cannot read {name}: {error.strerror or error}; check the path") from error
    except (ValueError, RecursionError) as error:
        raise RelationError(f"{name} is not JSON: {error}; was it written by `relations build`?") from error


def _body(document: Json, name: str) -> dict[str, Json]:
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
    body = document.get("relations")
    if not isinstance(body, dict):
        raise RelationError(f"{name}: `relations` is not an object of tool names")
    return body


def _entries(found: Json, place: str) -> list[Relation]:
    if not isinstance(found, list):
        raise RelationError(f"{place} is not a list of substitutes")
    return [_relation(entry, f"{place}[{index}]") for index, entry in enumerate(found)]


def _relation(entry: Json, place: str) -> Relation:
    if not isinstance(entry, dict):
        raise RelationError(f"{place} is not an object")
    fields: dict[str, Any] = {name: entry.get(name, {} if name == "arguments" else None) for name in _FIELDS}
    for name, (holds, wanted) in _FIELDS.items():
        if not holds(fields[name]):
            raise RelationError(f"{place}: `{name}` is not {wanted}")
    return Relation(**{**fields, "confidence": float(fields["confidence"])})


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


def _is_renaming(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(target, str) for target in value.values())


_FIELDS = {
    "tool": (_is_text, "a string"),
    "confidence": (_is_share, "a number from 0 to 1"),
    "source": (_is_text, "a string"),
    "why": (_is_text, "a string"),
    "arguments": (_is_renaming, "an object of argument names"),
}
