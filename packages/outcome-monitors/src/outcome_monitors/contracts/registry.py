"""Contracts as one file: JSON, versioned, canonical.

The same contracts give the same bytes. A file is data: loading one runs nothing, and one that cannot be used is refused
with the clause and the field named.
"""

import json
import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from outcome_monitors.exceptions import ContractError, NewerContract
from outcome_monitors.files import read_text, write_atomically
from outcome_monitors.jsonvalue.display import clip
from outcome_monitors.jsonvalue.paths import Each, InText, parse
from outcome_monitors.jsonvalue.text import MOST_NESTED
from outcome_monitors.model import Clause, Contract, Json
from outcome_monitors.rules import KINDS, RETIRED, current_name

from .shapes import Shape, shape_name

log = logging.getLogger("outcome_monitors")

FORMAT = "outcome-monitors/contracts"
VERSION = 2
"""Files without shapes are of version 1, as they always were."""
LARGEST_FILE = 256 * 2**20
DEEPEST_PATH = 40


class Registry:
    """The contracts of a set of tools."""

    def __init__(
        self, contracts: Mapping[str, Contract] | None = None, profile: str = "", shapes: Iterable[Shape] = ()
    ) -> None:
        self.contracts: dict[str, Contract] = dict({} if contracts is None else contracts)
        self.profile = profile
        self.shapes: tuple[Shape, ...] = tuple(shapes)
        """For results of tools that have no contract."""

    @classmethod
    def load(cls, path: str | Path) -> "Registry":
        """Read a contract file."""
        return cls.loads(read_text(Path(path), LARGEST_FILE, "contract file"), str(path))

    @classmethod
    def loads(cls, text: str, name: str = "contracts") -> "Registry":
        """Read the text of a contract file; `name` is what errors call it."""
        return from_document(parse_document(text, name, "a contract file"), name)

    def dumps(self) -> str:
        """Return the canonical text."""
        return "".join(_lines(self))

    def save(self, path: str | Path) -> None:
        """Write a contract file, whole or not at all."""
        write_atomically(Path(path), self.dumps())

    def merge(self, other: "Registry") -> "Registry":
        """Return the contracts of both; a tool that stands in both has the clauses of both."""
        together = dict(self.contracts)
        for tool, contract in other.contracts.items():
            mine = together.get(tool, Contract(tool, ()))
            together[tool] = Contract(tool, in_order([*mine.clauses, *contract.clauses]))
        more = (shape for shape in other.shapes if shape not in self.shapes)
        return Registry(together, self.profile or other.profile, (*self.shapes, *more))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Registry) and self.dumps() == other.dumps()

    __hash__ = None  # type: ignore[assignment]  # contracts can be added

    def __repr__(self) -> str:
        clauses = sum(len(contract.clauses) for contract in self.contracts.values())
        return f"<Registry of {len(self.contracts)} tools, {clauses} clauses>"


def owned(registry: Registry) -> Mapping[str, tuple[Clause, ...]]:
    """Return the clauses of each tool, then those of each shape."""
    found = {tool: contract.clauses for tool, contract in sorted(registry.contracts.items())}
    for shape in registry.shapes:
        name = shape_name(shape.fields)
        # Merged files may have a shape twice.
        found[name] = (*found.get(name, ()), *shape.clauses)
    return found


def parse_document(text: str, name: str, what: str) -> Json:
    """Return what the text of a file holds; raise ContractError where it is not JSON."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ContractError(f"{name} is nested too deeply to be {what}") from None
    except ValueError as error:
        raise ContractError(f"{name} is not JSON: {error}") from None


def require_version(document: Any, newest: int, name: str) -> None:
    """Refuse a document that is of no version, or of one that a later release writes."""
    version = document.get("version")
    require(is_whole(version) and version >= 1, f"{name}: version cannot be {clip(version)!r}")
    if version > newest:
        raise NewerContract(
            f"{name} is of version {version}, and this release reads up to {newest}: pip install -U outcome-monitors"
        )


def check_fields(body: Any, fields: Mapping[str, type], where: str) -> None:
    """Refuse what is no object, or lacks a field, or has one of another type."""
    require(isinstance(body, dict), f"{where} must be an object, not {clip(body)!r}")
    for field, python in fields.items():
        if type(body.get(field)) is not python:
            found = f"cannot be {clip(body[field])!r}" if field in body else "is missing"
            raise ContractError(f"{where}: {field} {found}")


def require(holds: bool, trouble: str) -> None:
    """Raise ContractError where something does not hold."""
    if not holds:
        raise ContractError(trouble)


def is_whole(value: Any) -> TypeGuard[int]:
    """Say whether a value is a whole number; a boolean is not."""
    return type(value) is int


def in_order(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """Return clauses, each once, in the order of the rule kinds, then of paths and parameters."""
    rank = {kind: index for index, kind in enumerate(KINDS)}
    keyed = {(rank[c.kind], c.path, _json(dict(c.params)), c.source): c for c in clauses}
    return tuple(keyed[key] for key in sorted(keyed))


def _lines(registry: Registry) -> Iterator[str]:
    """Yield the file piece by piece: one line a clause, so that two versions can be compared with `diff`."""
    version = VERSION if registry.shapes else 1
    yield f'{{"format": "{FORMAT}", "version": {version}, "profile": {_json(registry.profile)}, "tools": {{'
    for index, tool in enumerate(sorted(registry.contracts)):
        yield f'{"," if index else ""}\n{_json(tool)}: {{"clauses": ['
        yield from _clause_lines(registry.contracts[tool].clauses)
        yield "]}"
    yield "}"
    if registry.shapes:
        yield ', "shapes": ['
        for index, shape in enumerate(registry.shapes):
            yield f'{"," if index else ""}\n{{"fields": {_json(list(shape.fields))}, "tools": {shape.tools}, "clauses": ['
            yield from _clause_lines(shape.clauses)
            yield "]}"
        yield "]"
    yield "}\n"


def _clause_lines(clauses: Iterable[Clause]) -> Iterator[str]:
    for number, clause in enumerate(in_order(clauses)):
        yield f"{',' if number else ''}\n {_json(clause_json(clause))}"


def clause_json(clause: Clause) -> dict[str, Json]:
    """Return a clause as contract files have it."""
    return {
        "kind": clause.kind,
        "path": clause.path,
        "params": dict(clause.params),
        "samples": clause.samples,
        "tasks": clause.tasks,
        "source": clause.source,
    }


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=not (isinstance(value, dict) and "kind" in value))


def from_document(document: Any, name: str) -> Registry:
    """Return the contracts of a decoded file."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ContractError(f'{name} is not a contract file: it has no "format": "{FORMAT}"')
    require_version(document, VERSION, name)
    document = {"profile": "", "shapes": [], **document}
    check_fields(document, {"tools": dict, "profile": str, "shapes": list}, name)
    contracts = {}
    for tool, body in document["tools"].items():
        where = f"{name}: tool {clip(tool)!r}"
        check_fields(body, {"clauses": list}, where)
        contracts[tool] = Contract(tool, _clauses(body["clauses"], where))
    shapes = tuple(_shapes(document["shapes"], name))
    _warn_of_retired([*document["tools"].values(), *document["shapes"]], name)
    return Registry(contracts, document["profile"], shapes)


def _warn_of_retired(bodies: Iterable[Mapping[str, Any]], name: str) -> None:
    kinds = [clause["kind"] for body in bodies for clause in body["clauses"] if _is_retired(clause)]
    if kinds:
        log.warning(
            "%s: %d clauses are left out, of kinds that are no longer checked: %s; mine again to remove them",
            name,
            len(kinds),
            ", ".join(sorted({*kinds})),
        )


def _is_retired(clause: Any) -> bool:
    return isinstance(clause, dict) and clause.get("kind") in RETIRED


def _clauses(clauses: list[Any], where: str) -> tuple[Clause, ...]:
    kept = ((index, clause) for index, clause in enumerate(clauses) if not _is_retired(clause))
    return in_order(_clause(clause, f"{where}, clause {index}") for index, clause in kept)


def _shapes(shapes: list[Any], name: str) -> Iterator[Shape]:
    for index, body in enumerate(shapes):
        where = f"{name}: shape {index}"
        check_fields(body, {"fields": list, "tools": int, "clauses": list}, where)
        require(all(isinstance(field, str) for field in body["fields"]), f"{where}: fields must be names")
        yield Shape(tuple(body["fields"]), body["tools"], _clauses(body["clauses"], where))


_FIELDS: Mapping[str, type] = {
    "kind": str,
    "params": dict,
    "path": str,
    "samples": int,
    "source": str,
    "tasks": int,
}


def _clause(body: Any, where: str) -> Clause:
    check_fields(body, _FIELDS, where)
    kind = current_name(body["kind"])
    if kind not in KINDS:
        raise ContractError(
            f"{where}: there is no rule kind {clip(body['kind'])!r}; is the file from a newer release?"
        )
    try:
        steps = parse(body["path"])
    except ValueError as error:
        raise ContractError(f"{where}: path {clip(str(error))}") from None
    too_many = len(steps) > DEEPEST_PATH or steps.count(InText.JSON) > MOST_NESTED
    if too_many or not all(isinstance(step, str | Each | InText) for step in steps):
        raise ContractError(f"{where}: path {clip(body['path'])!r} has an index or too many steps")
    KINDS[kind].validate(body["params"], where)
    return Clause(**{**{field: body[field] for field in _FIELDS}, "kind": kind})
