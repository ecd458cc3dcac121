"""ToolMaze's public tool definitions: which tools exist, and which can stand in for which.

The folder is `tools/definitions` of a checkout of github.com/Zhudongsheng75/ToolMaze. Two public, task-agnostic things
are read, the same two the paper builds its mapping from: each tool's `substitutes`, and the first tool of every sibling
path in `alternatives.yaml`. No task, path label or perturbation is read.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from outcome_monitors.exceptions import SourceError
from outcome_monitors.files import FilePath, read_json_or_yaml
from outcome_monitors.model import Json
from outcome_monitors.recovery.relations import Relation, Relations

TOOL_FILES = ("source.yaml", "processor.yaml", "action.yaml")
ALTERNATIVES = "alternatives.yaml"
GROUP_KINDS = ("one_to_one", "one_to_many", "many_to_many")


class _Tool(NamedTuple):
    name: str
    definition: Mapping[str, Json]
    place: str
    """The file and the entry, for errors."""


Paths = list[tuple[str, ...]]


def read_tools(folder: FilePath) -> list[Json]:
    """Return the function spec of every tool, in file order; a tool without one gets its name and description."""
    return [_spec(tool) for tool in _tools(folder)]


def read_relations(folder: FilePath) -> Relations:
    """Return the substitutes that the definitions state, those of a tool's own entry first."""
    tools = list(_tools(folder))
    found: dict[str, list[Relation]] = {tool.name: [] for tool in tools}
    for tool in tools:
        found[tool.name].extend(
            Relation(name, 1.0, "toolmaze", f"listed under `substitutes` of {tool.name}")
            for name in _substitutes(tool)
        )
    for kind, paths in _groups(Path(folder) / ALTERNATIVES, frozenset(found)):
        for tool_name, entry in _siblings(paths):
            found.setdefault(tool_name, []).append(
                Relation(entry, 1.0, "toolmaze", f"starts a sibling path ({kind}) of {tool_name}")
            )
    return Relations(found)


def output_schemas(folder: FilePath) -> dict[str, Json]:
    """Return the output schema of every tool that has one."""
    found: dict[str, Json] = {}
    for tool in _tools(folder):
        schema: Any = tool.definition
        for key in ("paradigms", "mcp", "output_schema"):
            schema = schema.get(key) if isinstance(schema, dict) else None
        if isinstance(schema, dict):
            found[tool.name] = schema
    return found


def _tools(folder: FilePath) -> Iterator[_Tool]:
    for file in TOOL_FILES:
        path = Path(folder) / file
        document = _load(path)
        entries = document.get("tools", document) if isinstance(document, dict) else document
        if isinstance(entries, dict):
            # A mapping of names to definitions, which may leave the name out.
            entries = [
                {"name": name, **entry} if isinstance(entry, dict) else entry
                for name, entry in entries.items()
            ]
        if not isinstance(entries, list):
            raise SourceError(f"{path} holds no list of tools; is this ToolMaze's tools/definitions?")
        for index, entry in enumerate(entries):
            yield _tool(entry, f"{path}: tool {index}")


def _tool(entry: Json, place: str) -> _Tool:
    name = entry.get("name") if isinstance(entry, dict) else None
    if not isinstance(name, str):
        raise SourceError(f"{place} has no `name`")
    return _Tool(name, entry, f"{place} ({name})")


def _spec(tool: _Tool) -> Json:
    spec: Any = tool.definition
    for key in ("paradigms", "function_call", "spec"):
        spec = spec.get(key) if isinstance(spec, dict) else None
    if spec is None:
        return {"name": tool.name, "description": tool.definition.get("description") or ""}
    if not isinstance(spec, dict):
        raise SourceError(f"{tool.place}: `paradigms.function_call.spec` is not an object")
    return spec


def _substitutes(tool: _Tool) -> list[str]:
    names = tool.definition.get("substitutes")
    if names is None:
        return []
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SourceError(f"{tool.place}: `substitutes` is not a list of tool names")
    return names


def _groups(path: Path, known: frozenset[str]) -> Iterator[tuple[str, Paths]]:
    """Yield each group of paths that substitute each other, with its kind."""
    document = _load(path)
    if isinstance(document, dict) and isinstance(document.get("alternatives"), dict):
        document = document["alternatives"]
    if not isinstance(document, dict) or not any(kind in document for kind in GROUP_KINDS):
        raise SourceError(f"{path} holds none of the groups {', '.join(GROUP_KINDS)}")
    for kind in GROUP_KINDS:
        groups = document.get(kind) or []
        if not isinstance(groups, (list, dict)):
            raise SourceError(f"{path}: `{kind}` is not a list or an object of groups")
        named = groups.items() if isinstance(groups, dict) else enumerate(groups)
        for name, group in named:
            paths = _paths(group, f"{path}: {kind}[{name!r}]")
            # In a mapping from a tool to what can replace it, the tool is a path of its own.
            own = [(name,)] if isinstance(name, str) and name in known else []
            yield kind, own + paths


def _paths(group: Json, place: str) -> Paths:
    if isinstance(group, dict):
        if "paths" not in group:
            raise SourceError(f"{place} has no `paths`")
        group = group["paths"]
    if isinstance(group, str):
        group = [group]
    if isinstance(group, dict):
        group = list(group.values())
    if not isinstance(group, list):
        raise SourceError(f"{place} is not a list of paths")
    return [_path(entry, f"{place}, path {index}") for index, entry in enumerate(group)]


def _path(entry: Json, place: str) -> tuple[str, ...]:
    if isinstance(entry, dict):
        entry = entry.get("tools")
    if isinstance(entry, str):
        return (entry,)
    if not isinstance(entry, list) or not entry or not all(isinstance(tool, str) for tool in entry):
        raise SourceError(f"{place} is not a tool name or a list of tool names")
    return tuple(entry)


def _siblings(paths: Paths) -> Iterator[tuple[str, str]]:
    """Yield (tool, first tool of another path) for every tool of every path."""
    for index, path in enumerate(paths):
        entries = [other[0] for position, other in enumerate(paths) if position != index]
        for tool in path:
            yield from ((tool, entry) for entry in entries)


def _load(path: Path) -> Json:
    if not path.exists():
        raise SourceError(f"cannot read {path}: No such file; give the folder tools/definitions of ToolMaze")
    return read_json_or_yaml(path)
