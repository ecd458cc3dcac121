"""The work of `relations build`: each source read into what it gives, and what is said of the whole."""

from collections.abc import Sequence
from pathlib import Path

from outcome_monitors.contracts.folds import FoldIndex, load_contracts
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import RelationError
from outcome_monitors.model import Call
from outcome_monitors.recovery.mining import Tool, read_tools
from outcome_monitors.recovery.mining.candidates import load_reviewed
from outcome_monitors.recovery.mining.openapi import read_openapi
from outcome_monitors.recovery.relations import Edit, Relation, Relations
from outcome_monitors.state.address import shown
from outcome_monitors.traces.reader import Skipped, TraceReport, read_traces
from outcome_monitors.values.documents import read_json

from ._output import count, printable, progress, table, warn, write
from ._stores import is_same_file

__all__ = [
    "calls",
    "contracts_of",
    "declared",
    "definitions",
    "refuse_output",
    "reviewed",
    "tell",
    "toolmaze_relations",
]


def definitions(tools: tuple[str, ...], openapi: tuple[str, ...]) -> list[Tool]:
    found: dict[str, Tool] = {}
    for tool in [tool for path in tools for tool in read_tools(path)] + [
        t for p in openapi for t in read_openapi(p)
    ]:
        found.setdefault(tool.name, tool)
    return list(found.values())


def calls(traces: tuple[str, ...], *, strict: bool) -> list[Call]:
    if not traces:
        return []

    def skip(line: Skipped) -> None:
        warn(f"{line}; the line is skipped")

    report = TraceReport(on_skip=None if strict else skip)
    read = list(progress(read_traces(traces, strict=strict, report=report), "call", "mining relations"))
    report.require_calls()
    return read


def contracts_of(path: str | None) -> Registry:
    if path is None:
        return Registry()
    found = load_contracts(path)
    if isinstance(found, FoldIndex):
        raise RelationError(f"{shown(path)} is an index of registries; name one of them: {found.file(0)}")
    return found


def declared(path: str) -> Relations:
    document = read_json(path)
    if isinstance(document, dict) and "relations" in document and "version" in document:
        return Relations.load(path)
    if not isinstance(document, dict) or not all(isinstance(names, list) for names in document.values()):
        raise RelationError(f'{path} does not declare substitutes: it must be {{"tool": ["other", ...]}}')
    return _in_order(Relations.declared(document))


def _in_order(declared: Relations) -> Relations:
    """Let what is declared first stay first, whatever it is merged with."""
    return Relations(
        {
            tool: [
                Relation(entry.tool, max(0.9, round(1.0 - 0.01 * place, 2)), entry.source, entry.why)
                for place, entry in enumerate(entries)
            ]
            for tool, entries in declared.items()
        }
    )


def reviewed(path: str | None, old: Sequence[Edit]) -> list[Edit]:
    """Return the edits of an earlier file, and what a person decided on candidates; the latter count where both do."""
    new = [] if path is None else load_reviewed(path)
    decided = {(edit.tool, edit.substitute) for edit in new}
    return [*(edit for edit in old if (edit.tool, edit.substitute) not in decided), *new]


def toolmaze_relations(folder: str | None) -> list[Relations]:
    if folder is None:
        return []
    from outcome_monitors.recovery.toolmaze import read_relations  # noqa: PLC0415 - needs an optional dependency

    return [read_relations(folder)]


def refuse_output(output: Path, traces: tuple[str, ...]) -> None:
    if not output.parent.is_dir():
        raise RelationError(f"cannot write {output}: there is no folder {output.parent}; make it first")
    if output.is_dir():
        raise RelationError(f"cannot write {output}: it is a folder; name a file in it")
    if any(is_same_file(output, trace) for trace in traces):
        raise RelationError(f"cannot write {output}: it is one of the traces; choose another name")


def tell(output: str, built: Relations) -> None:
    total = sum(map(len, built.values()))
    write(printable(f"{output}: {count(total, 'substitute')} for {count(len(built), 'tool')}") + "\n")
    by_source: dict[str, int] = {}
    for entries in built.values():
        for entry in entries:
            by_source[entry.source] = by_source.get(entry.source, 0) + 1
    if by_source:
        table(("source", ">substitutes"), [(source, f"{n:,}") for source, n in sorted(by_source.items())])
    writes = sum(effect.writes for effect in built.effects.values())
    write(f"{count(len(built.effects), 'tool')} with a known effect, {writes:,} of them write\n")
    if built.edits:
        write(f"{count(len(built.edits), 'edit')} kept\n")
