"""`relations`: which tools can stand in for which, for receipts."""

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from outcome_monitors.contracts.loading import load_contracts
from outcome_monitors.contracts.registry import Registry
from outcome_monitors.exceptions import RelationError
from outcome_monitors.files import read_json
from outcome_monitors.recovery.mining import (
    Sources,
    Tool,
    build,
    declared_effects,
    edited,
    read_tools,
    unrejected,
    written_by_hand,
)
from outcome_monitors.recovery.relation_file import VERDICTS
from outcome_monitors.recovery.relations import Edit, Relation, Relations
from outcome_monitors.recovery.tools import read_openapi

from ._inputs import ManyValues, TraceInputs, refuse_output
from ._output import closest, count, table, write, write_line


@click.group(
    "relations",
    invoke_without_command=True,
    epilog="Example: outcome-monitors relations build --tools tools.json -o relations.json",
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Mine, show and edit recovery relations."""
    if ctx.invoked_subcommand is None:
        raise click.UsageError("name what to do: build, show, explain or edit")


@command.command(
    "build",
    cls=ManyValues,
    epilog="""\b
Example:
  outcome-monitors relations build --tools tools.json --traces traces.jsonl -o relations.json""",
)
@click.option("--tools", multiple=True, metavar="FILE...", help="tools/list responses of MCP servers.")
@click.option("--openapi", multiple=True, metavar="FILE...", help="OpenAPI documents; operations are tools.")
@click.option("--traces", multiple=True, metavar="FILE...", help="Trace files.")
@click.option("--contracts", metavar="FILE", help="A contract file.")
@click.option(
    "--declared",
    multiple=True,
    metavar="FILE...",
    help='Known substitutes: {"tool": ["other"]}, or a relation file.',
)
@click.option("--toolmaze", metavar="FOLDER", help="ToolMaze's tools/definitions.")
@click.option("--strict", is_flag=True, help="Fail on the first bad line.")
@click.option("-o", "--output", metavar="FILE", required=True, help="The relation file to write.")
def build_command(
    output: str,
    contracts: str | None,
    toolmaze: str | None,
    strict: bool,
    **named: Any,
) -> None:
    """Mine relations; edits in an earlier FILE are kept."""
    if not any(named.values()) and toolmaze is None:
        raise click.UsageError("name tools with --tools, or traces with --traces")
    refuse_output(output, named["traces"])
    old = Relations.load(output) if Path(output).exists() else Relations()
    known = load_contracts(contracts) if contracts is not None else Registry()
    told = [_declared(path) for path in named["declared"]]
    if toolmaze is not None:
        from outcome_monitors.recovery.toolmaze import read_relations  # noqa: PLC0415 - an optional dependency

        told.append(read_relations(toolmaze))
    traces = TraceInputs(named["traces"], strict)
    sources = Sources(
        tools=_definitions(named["tools"], named["openapi"]),
        calls=[*traces.calls(then="mining relations")] if traces.files else [],
        contracts=known,
        stated=[written_by_hand(old), *told],
        effects=declared_effects(old, told),
        edits=old.edits,
    )
    built = build(sources)
    built.save(output)
    _summarise(output, built)


def _definitions(tools: Iterable[str], openapi: Iterable[str]) -> list[Tool]:
    """Return the tools of all files; of two with a name, the first."""
    listed = [tool for path in tools for tool in read_tools(path)]
    operations = [tool for path in openapi for tool in read_openapi(path)]
    return list({tool.name: tool for tool in reversed([*listed, *operations])}.values())[::-1]


def _declared(path: str) -> Relations:
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


def _summarise(output: str, built: Relations) -> None:
    sources = Counter(entry.source for entries in built.values() for entry in entries)
    write_line(f"{output}: {count(sources.total(), 'substitute')} for {count(len(built), 'tool')}")
    if sources:
        table(("source", ">substitutes"), [(source, f"{n:,}") for source, n in sorted(sources.items())])
    writes = sum(effect.writes for effect in built.effects.values())
    write(f"{count(len(built.effects), 'tool')} with a known effect, {writes:,} of them write\n")
    if built.edits:
        write(f"{count(len(built.edits), 'edit')} kept\n")


@command.command("show", epilog="\b\nExample:\n  outcome-monitors relations show relations.json")
@click.argument("relations")
@click.argument("tools", metavar="[TOOL]...", nargs=-1)
def show_command(relations: str, tools: tuple[str, ...]) -> None:
    """List the relations, of all tools or of each TOOL."""
    found = Relations.load(relations)
    chosen = [_known(found, tool, relations) for tool in tools] or list(found)
    rows = [
        (tool, entry.tool, f"{entry.confidence:.2f}", entry.source, _renamed(entry))
        for tool in chosen
        for entry in found.get(tool, ())
    ]
    if rows:
        table(("tool", "stands in", ">sure", "source", "arguments"), rows)
    else:
        write_line(f"{relations}: no substitutes")


@command.command(
    "explain", epilog="\b\nExample:\n  outcome-monitors relations explain relations.json get_order"
)
@click.argument("relations")
@click.argument("tool")
def explain_command(relations: str, tool: str) -> None:
    """Explain the substitutes of TOOL and whether it can be called again."""
    found = Relations.load(relations)
    _known(found, tool, relations)
    effect = found.effect(tool)
    lines = [f"{tool}: {_effect(found, tool)}"]
    for entry in found.get(tool, ()):
        lines += [f"  {entry.tool} stands in ({entry.source}, {entry.confidence:.2f})", f"    {entry.why}"]
        lines += [f"    {source} -> {target}" for source, target in entry.arguments.items()]
    if effect.writes and any(found.may_write(entry.tool) for entry in found.get(tool, ())):
        lines.append("  no receipt offers those of them that write, too")
    for entry in found.checks.get(tool, ()):
        lines += [f"  {entry.tool} can check ({entry.confidence:.2f})", f"    {entry.why}"]
        lines += [f"    {source} -> {target}" for source, target in entry.arguments.items()]
    lines += [f"  by hand: {edit.verdict} {edit.substitute}" for edit in found.edits if edit.tool == tool]
    for line in lines:
        write_line(line)


@command.command(
    "edit",
    epilog="\b\nExample:\n  outcome-monitors relations edit relations.json get_order find_order --verdict reject",
)
@click.argument("relations")
@click.argument("tool")
@click.argument("substitute")
@click.option("--verdict", type=click.Choice(VERDICTS), required=True, help="The decision.")
@click.option("--why", default="", show_default=False, help="A reason, shown in receipts.")
@click.option(
    "--argument",
    multiple=True,
    metavar="FROM=TO",
    help="An argument of TOOL and its counterpart. Repeatable.",
)
def edit_command(
    relations: str, tool: str, substitute: str, verdict: str, why: str, argument: tuple[str, ...]
) -> None:
    """Accept, reject or add SUBSTITUTE for TOOL, for all later builds."""
    found = Relations.load(relations)
    mapping = dict(map(_pair, argument))
    listed = substitute in {entry.tool for entry in found.get(tool, ())}
    if tool == substitute:
        raise RelationError(f"{tool} cannot stand in for itself; name another tool")
    if verdict == "accept" and not listed:
        raise RelationError(f"{relations} lists no {substitute!r} for {tool!r} to accept; use --verdict add")
    kept = [edit for edit in found.edits if (edit.tool, edit.substitute) != (tool, substitute)]
    edits = [*kept, Edit(tool, substitute, verdict, why, mapping)]
    checks = unrejected(found.checks, edits)
    changed = Relations(
        edited(found, edits),
        checks=checks,
        effects=found.effects,
        needed=found.needed,
        paging=found.paging,
        edits=edits,
    )
    changed.save(relations)
    write_line(f"{relations}: {verdict} {substitute} for {tool}")


def _known(found: Relations, tool: str, name: str) -> str:
    known = {*found, *found.checks, *found.effects}
    if tool in known:
        return tool
    hint = closest(tool, known, f"`relations show {name}` lists all")
    raise RelationError(f"{name} knows no tool {tool!r}; {hint}")


def _renamed(entry: Relation) -> str:
    return ", ".join(f"{source} -> {target}" for source, target in entry.arguments.items())


def _effect(found: Relations, tool: str) -> str:
    effect = found.effect(tool)
    if not effect.writes:
        return f"it reads ({effect.source}); calling it again is safe"
    if effect.repeatable:
        return f"it writes ({effect.source}); calling it again changes nothing more, and is offered last"
    if effect.source == "unknown":
        return (
            "nobody says what calling it does; it counts as a write, and no receipt offers to call it again"
        )
    return f"it writes ({effect.source}); no receipt offers to call it again"


def _pair(value: str) -> tuple[str, str]:
    source, equals, target = value.partition("=")
    if not source or not equals or not target:
        raise click.BadParameter(f"{json.dumps(value)} is not of the form FROM=TO", param_hint="--argument")
    return source, target
